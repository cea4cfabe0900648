import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { launchChromium } from "../../scripts/chromium.ts";
import { logIn, openDashboard } from "../../scripts/dashboard-page.ts";
import { dashboardCharts } from "../../superset/dashboard.ts";
import { quality } from "../../superset/datasets.ts";
import { SupersetClient } from "../../superset/import/client.ts";
import type { Chart } from "../../superset/model.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import type { Row } from "./ask.ts";
import { barLengths } from "./bar-lengths.ts";
import { expected } from "./expected.ts";
import { fill, type Marts, startMarts } from "./marts.ts";
import { type Asked, chosen, noteRequests } from "./page-requests.ts";
import { runInit } from "./run-init.ts";
import { type Superset, startSuperset } from "./superset.ts";

const PASSWORD = "browser-test";

/** After so long without a request the page has asked what it asks. */
const CALM_MS = 3_000;

/** Superset's own messages that no setting of ours causes or silences. */
const BASELINE = [
  // Its counting pixel; our policy keeps it from leaving the machine.
  /^Loading the image 'https:\/\/apachesuperset\.gateway\.scarf\.sh\//,
  // The machine's: somebody made or removed a network, as Docker does. The browser asks again; what it
  // did not get then, the other cases miss.
  /^Failed to load resource: net::ERR_NETWORK_CHANGED$/,
];

let superset: Superset;
let marts: Marts;
let browser: Browser;
let page: Page;
const errors: string[] = [];
/** What the page asked when it was opened, without a choice, by title. */
let unfiltered: Map<string, Asked>;

beforeAll(async () => {
  marts = await startMarts(PASSWORD);
  await applyDdl(marts.db, "all");
  await fill(marts.db, "2026-03-07T18:00:00Z", "2026-03-09T06:00:00Z");
  superset = await startSuperset();
  await runInit(marts, { login: superset.login, password: PASSWORD });
  browser = await launchChromium();
  page = await logIn(browser, superset.login);
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  unfiltered = await askedOn(page, "");
});
afterAll(async () => {
  await browser?.close();
  await superset?.stop();
  await marts?.stop();
});

/** Opens the page and returns what it asks for every chart, by title. */
async function askedOn(opened: Page, query: string): Promise<Map<string, Asked>> {
  const client = await SupersetClient.login(superset.login);
  const listed = z.object({ id: z.int(), slice_name: z.string() });
  const titles = new Map((await client.list("chart", listed)).map((c) => [c.id, c.slice_name]));
  const notes = noteRequests(opened);
  await openDashboard(opened, superset.login.url, query);
  // On busy cores a chart may begin after all others have long been drawn.
  const isComplete = async () =>
    notes.calm() > CALM_MS && (await notes.latest()).size === dashboardCharts.length;
  await vi.waitUntil(isComplete, { timeout: 120_000, interval: 500 });
  return new Map([...(await notes.latest())].map(([id, asked]) => [titles.get(id) ?? "", asked]));
}

const numberIn = async (title: string): Promise<number> => {
  const chart = page.locator("[data-test=chart-container]", {
    has: page.locator(".header-line"),
  });
  const tile = page
    .locator(".dashboard-component-chart-holder")
    .filter({ has: page.getByText(title, { exact: true }) })
    .filter({ has: chart });
  const text = await tile.locator(".header-line").first().textContent();
  return Number(text?.replaceAll(",", ""));
};

/** Canvas of the chart with this title. */
const canvasOf = (title: string) =>
  page
    .locator(".dashboard-component-chart-holder")
    .filter({ has: page.getByText(title, { exact: true }) })
    .locator("canvas")
    .first();

describe("the dashboard in a browser", () => {
  it("draws every chart, none of them empty or broken", async () => {
    expect(await page.locator("[data-test=chart-container]").count()).toBe(dashboardCharts.length);
    for (const { title } of dashboardCharts) {
      expect(await page.getByText(title, { exact: true }).count(), title).toBeGreaterThan(0);
    }
    const text = await page.locator(".dashboard").textContent();
    expect(text).not.toMatch(/no results|unexpected error|not found|no data/i);
  });

  it("draws bars of several series with the longest on top", async () => {
    for (const title of ["Browsers", "Marked records", "Sources"]) {
      const lengths = await barLengths(canvasOf(title));
      expect(lengths.length, title).toBeGreaterThan(3);
      expect(lengths, title).toEqual([...lengths].sort((a, b) => b - a));
    }
  });

  it("writes no error to the console beyond Superset's own", () => {
    const known = (text: string) => BASELINE.some((pattern) => pattern.test(text));
    expect(errors.filter((text) => !known(text))).toEqual([]);
  });

  it("shows the numbers of the marts, and those of a choice", async () => {
    const count = async (where: string): Promise<number> => {
      const [row] = await marts.db.rows<{ n: number }>(
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
    // The tile shows the former number until the page has asked again.
    await expect
      .poll(() => numberIn("Sessions"), { timeout: 60_000 })
      .toBe(await count("referer_medium = 'search'"));
  });
});

describe("what the page itself asks", () => {
  const HOUR = { start: "2026-03-08T10:00:00", end: "2026-03-08T11:00:00" };
  const CHOICE = {
    source: ["referer_medium", "search"],
    device: ["device_type", "Computer"],
    country: ["geo_country", "US"],
  } as const;
  let filtered: Map<string, Asked>;

  beforeAll(async () => {
    const other = await logIn(browser, superset.login);
    filtered = await askedOn(other, chosen(HOUR, CHOICE));
    await other.close();
  });

  it("is every chart's data, and it is given rows for each", () => {
    for (const { title } of dashboardCharts) {
      expect(unfiltered.get(title)?.rows ?? [], title).not.toEqual([]);
    }
    expect(unfiltered.size).toBe(dashboardCharts.length);
  });

  it("carries each filter to every chart that has it, and to no other", () => {
    for (const { title, dataset } of dashboardCharts) {
      const asked = filtered.get(title)?.queries ?? "";
      expect(asked.includes(`${HOUR.start} : ${HOUR.end}`), title).toBe(dataset !== quality);
      for (const [column, value] of Object.values(CHOICE)) {
        const hasIt = dataset !== quality && dataset.table !== "v_retention";
        const condition = new RegExp(`"col":"${column}","op":"IN","val":\\["${value}"\\]`);
        expect(condition.test(asked), `${title}: ${column}`).toBe(hasIt);
      }
    }
  });

  it("counts in the chosen hour what SQL counts", async () => {
    const choice = Object.values(CHOICE).map(([column, value]) => ({
      ...{ column, operator: "==" as const, value },
    }));
    const isCount = ({ dataset, query }: Chart): boolean =>
      dataset.metrics.find(({ key }) => key === query.metrics[0])?.format === ",d" &&
      dataset !== quality;
    const counted = dashboardCharts.filter(
      (chart) => isCount(chart) && chart.vizType !== "world_map",
    );
    expect(counted.length).toBeGreaterThan(12);
    for (const chart of counted) {
      const sum = total(await expected(marts, chart, HOUR, choice));
      const rows = filtered.get(chart.title)?.rows ?? [];
      expect(total(rows.map((row) => countIn(chart, row))), chart.title).toBe(sum);
      const isCommon = ["Page events", "Sessions", "Hour by hour", "Daily activity"];
      if (isCommon.includes(chart.title)) expect(sum, chart.title).toBeGreaterThan(5);
    }
  });

  it("leaves what no filter concerns as it was", () => {
    for (const { title, dataset } of dashboardCharts) {
      if (dataset === quality)
        expect(filtered.get(title)?.rows).toEqual(unfiltered.get(title)?.rows);
    }
  });

  const total = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0);

  /** A row of a chart with series has a number for each, under its name; besides, its place on the axis. */
  function countIn({ dataset, query }: Chart, row: Row): number {
    const [metric = ""] = query.metrics;
    if (metric in row) return Number(row[metric]);
    const series = Object.entries(row).filter(([key]) => key !== dataset.time);
    return total(series.map(([, value]) => (typeof value === "number" ? value : 0)));
  }
});
