import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { launchChromium } from "../../scripts/chromium.ts";
import { logIn, openDashboard } from "../../scripts/dashboard-page.ts";
import { behaviour } from "../../superset/dashboards/behaviour.ts";
import { overview } from "../../superset/dashboards/overview.ts";
import { period, quality } from "../../superset/datasets.ts";
import { SupersetClient } from "../../superset/import/client.ts";
import type { Chart, Dataset } from "../../superset/model.ts";
import type { Row } from "./ask.ts";
import { barLengths } from "./bar-lengths.ts";
import type { TestSystem } from "./environment.ts";
import { expected } from "./expected.ts";
import { chosen, noteRequests, type PageRequest } from "./page-requests.ts";

/** The page has sent all its queries after this long without a request. */
const CALM_MS = 3_000;

/** State of the whole data, which no filter narrows. */
const isFilterable = (dataset: Dataset): boolean => dataset !== period && dataset !== quality;

/** Console messages of Superset that no setting of this project causes or silences. */
const BASELINE = [
  // Superset's tracking pixel, which the content policy blocks.
  /^Loading the image 'https:\/\/apachesuperset\.gateway\.scarf\.sh\//,
  // A network change of the machine, as Docker causes: the browser retries the request.
  /^Failed to load resource: net::ERR_NETWORK_CHANGED$/,
];

/** The dashboards as a user sees them, on the data of the number cases. */
export const browserCases = (system: TestSystem) =>
  describe("in a browser", () => {
    let browser: Browser;
    let page: Page;
    const errors: string[] = [];
    /** The queries that the page sent when it was opened without filters, by title. */
    let unfiltered: Map<string, PageRequest>;

    beforeAll(async () => {
      browser = await launchChromium();
      page = await logIn(browser, system.superset.login);
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text());
      });
      unfiltered = await askedOn(page, "");
    });
    afterAll(() => browser?.close());

    /** Opens the page and returns its query for every chart, by title. */
    async function askedOn(opened: Page, query: string): Promise<Map<string, PageRequest>> {
      const client = await SupersetClient.login(system.superset.login);
      const listed = z.object({ id: z.int(), slice_name: z.string() });
      const titles = new Map((await client.list("chart", listed)).map((c) => [c.id, c.slice_name]));
      const notes = noteRequests(opened);
      await openDashboard(opened, system.superset.login.url, `${overview.slug}/${query}`);
      // On a busy machine a chart may start long after all others are drawn.
      const isComplete = async () =>
        notes.calm() > CALM_MS && (await notes.latest()).size === overview.charts.length;
      await vi.waitUntil(isComplete, { timeout: 300_000, interval: 500 });
      return new Map(
        [...(await notes.latest())].map(([id, asked]) => [titles.get(id) ?? "", asked]),
      );
    }

    /** Chart with this title. */
    const tileOf = (title: string, on = page) =>
      on
        .locator(".dashboard-component-chart-holder")
        .filter({ has: on.getByText(title, { exact: true }) });

    const numberIn = async (title: string): Promise<number> => {
      const chart = page.locator("[data-test=chart-container]", {
        has: page.locator(".header-line"),
      });
      const text = await tileOf(title)
        .filter({ has: chart })
        .locator(".header-line")
        .first()
        .textContent();
      return Number(text?.replaceAll(",", ""));
    };

    const canvasOf = (title: string) => tileOf(title).locator("canvas").first();

    describe("the overview", () => {
      it("draws every chart, none of them empty or with an error", async () => {
        expect(await page.locator("[data-test=chart-container]").count()).toBe(
          overview.charts.length,
        );
        for (const { title } of overview.charts) {
          expect(await page.getByText(title, { exact: true }).count(), title).toBeGreaterThan(0);
        }
        const text = await page.locator(".dashboard").textContent();
        expect(text).not.toMatch(/no results|unexpected error|not found|no data/i);
      });

      it("draws bars of several series with the longest on top", async () => {
        for (const title of ["Browsers", "Marked records", "Channels"]) {
          const lengths = await barLengths(canvasOf(title));
          expect(lengths.length, title).toBeGreaterThan(3);
          expect(lengths, title).toEqual([...lengths].sort((a, b) => b - a));
        }
      });

      it("writes no error to the console beyond Superset's own", () => {
        const known = (text: string) => BASELINE.some((pattern) => pattern.test(text));
        expect(errors.filter((text) => !known(text))).toEqual([]);
      });

      it("shows the numbers of the marts, with and without a filter", async () => {
        const count = async (where: string): Promise<number> => {
          const [row] = await system.marts.db.rows<{ n: number }>(
            `SELECT toUInt32(count()) AS n FROM dm.session WHERE ${where}`,
          );
          return row?.n ?? -1;
        };
        expect(await numberIn("Sessions")).toBe(await count("true"));
        await page.getByRole("combobox").first().click();
        await page.keyboard.type("search");
        await page.keyboard.press("Enter");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Apply filters" }).click();
        // The tile shows the previous number until the page has queried again.
        await expect
          .poll(() => numberIn("Sessions"), { timeout: 300_000 })
          .toBe(await count("referer_medium = 'search'"));
      });
    });

    describe("behaviour and experiments", () => {
      /** Not the page of the overview, whose requests are read as long as it is open. */
      let own: Page;
      const percentIn = async (title: string): Promise<string | null> =>
        tileOf(title, own).locator(".header-line").first().textContent();
      const purchaseRate = async (where: string): Promise<string> => {
        const [row] = await system.marts.db.rows<{ share: number }>(
          `SELECT avg(has_purchase) AS share FROM dm.session WHERE ${where}`,
        );
        return `${((row?.share ?? 0) * 100).toFixed(1)}%`;
      };

      beforeAll(async () => {
        own = await logIn(browser, system.superset.login);
        await openDashboard(own, system.superset.login.url, `${behaviour.slug}/`);
      });
      afterAll(() => own?.close());

      it("draws every chart, none of them empty or with an error", async () => {
        expect(await own.locator("[data-test=chart-container]").count()).toBe(
          behaviour.charts.length,
        );
        const text = await own.locator(".dashboard").textContent();
        expect(text).not.toMatch(/no results|unexpected error|not found|no data/i);
      });

      it("writes the subtitles of all figures in one readable size", async () => {
        for (const opened of [page, own]) {
          const sizes: string[] = await opened.evaluate(
            "[...document.querySelectorAll('.subtitle-line')].map((line) => getComputedStyle(line).fontSize)",
          );
          expect(sizes.length).toBeGreaterThan(4);
          expect(new Set(sizes)).toEqual(new Set(["13px"]));
        }
      });

      it("filters the other charts by a click on a row", async () => {
        expect(await percentIn("Purchase rate")).toBe(await purchaseRate("true"));
        await tileOf("Landing pages", own).getByText("/home", { exact: true }).click();
        await expect
          .poll(() => percentIn("Purchase rate"), { timeout: 300_000 })
          .toBe(await purchaseRate("entry_page = '/home'"));
      });
    });

    describe("the page's own queries", () => {
      const HOUR = { start: "2026-03-08T10:00:00", end: "2026-03-08T11:00:00" };
      const CHOICE = {
        referrer: ["referer_medium", "search"],
        device: ["device_type", "Computer"],
        country: ["geo_country", "US"],
        site: ["site", "generated"],
      } as const;
      let filtered: Map<string, PageRequest>;

      beforeAll(async () => {
        const other = await logIn(browser, system.superset.login);
        filtered = await askedOn(other, chosen(HOUR, CHOICE));
        await other.close();
      });

      it("cover every chart, and each returns rows", () => {
        for (const { title } of overview.charts) {
          expect(unfiltered.get(title)?.rows ?? [], title).not.toEqual([]);
        }
        expect(unfiltered.size).toBe(overview.charts.length);
      });

      it("carry each filter to every chart that has it, and to no other", () => {
        for (const { title, dataset } of overview.charts) {
          const asked = filtered.get(title)?.queries ?? "";
          expect(asked.includes(`${HOUR.start} : ${HOUR.end}`), title).toBe(isFilterable(dataset));
          for (const [column, value] of Object.values(CHOICE)) {
            const hasIt =
              isFilterable(dataset) && (dataset.table !== "v_retention" || column === "site");
            const condition = new RegExp(`"col":"${column}","op":"IN","val":\\["${value}"\\]`);
            expect(condition.test(asked), `${title}: ${column}`).toBe(hasIt);
          }
        }
      });

      it("with a chosen hour return what SQL counts", async () => {
        const choice = Object.values(CHOICE).map(([column, value]) => ({
          column,
          operator: "==" as const,
          value,
        }));
        const isCount = ({ dataset, query }: Chart): boolean =>
          dataset.metrics.find(({ key }) => key === query.metrics[0])?.format === ",d" &&
          isFilterable(dataset);
        const counted = overview.charts.filter(
          (chart) => isCount(chart) && chart.vizType !== "world_map",
        );
        expect(counted.length).toBeGreaterThan(12);
        for (const chart of counted) {
          const sum = total(await expected(system.marts, chart, HOUR, choice));
          const rows = filtered.get(chart.title)?.rows ?? [];
          expect(total(rows.map((row) => countIn(chart, row))), chart.title).toBe(sum);
          const isCommon = ["Page events", "Sessions", "Hour by hour", "Daily activity"];
          if (isCommon.includes(chart.title)) expect(sum, chart.title).toBeGreaterThan(5);
        }
      });

      it("are unchanged for charts without a filter", () => {
        // The time since the load goes on between the two questions.
        const still = (rows: readonly Row[] | undefined) =>
          rows?.map(({ minutes_since_load: _, ...row }) => row);
        for (const { title, dataset } of overview.charts) {
          if (isFilterable(dataset)) continue;
          expect(still(filtered.get(title)?.rows), title).toEqual(
            still(unfiltered.get(title)?.rows),
          );
        }
      });

      const total = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0);

      /**
       * Checks that a row of a chart with series has a number for each series, beside the axis value.
       */
      function countIn({ dataset, query }: Chart, row: Row): number {
        const [metric = ""] = query.metrics;
        if (metric in row) return Number(row[metric]);
        const series = Object.entries(row).filter(([key]) => key !== dataset.time);
        return total(series.map(([, value]) => (typeof value === "number" ? value : 0)));
      }
    });
  });
