import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { QUESTIONS } from "../../warehouse/engine/page/questions.ts";
import { columnDescription, objectDescription } from "../../warehouse/schema/comments.ts";
import { makeDays, reload } from "../commands/history/generate.ts";
import { rawMessage } from "../support/messages.ts";
import { publish } from "../support/pipeline.ts";
import {
  choose,
  editorText,
  openTestPages,
  type TestPages,
  waitForStatus,
  waitForText,
} from "./pages.ts";

let pages: TestPages;
let page: Page;
beforeAll(async () => {
  pages = await openTestPages();
  const { backfill, manifest } = await makeDays();
  await reload(pages.engine.db, backfill, manifest);
  page = await pages.open();
  await waitForStatus(page, / rows? .*read/);
});
afterAll(() => pages[Symbol.asyncDispose]());

test.each(QUESTIONS)("$title", async ({ title, chart, sql, every }) => {
  const { meta, rows } = JSON.parse((await pages.engine.db.read(sql, "JSONCompact")).toString());
  expect(rows).toBeGreaterThan(0);
  const names = meta.map(({ name }: { name: string }) => name);
  expect(names).toContain(chart.label);
  expect(names).toContain(chart.value);
  await choose(page, title);
  if (rows === 1) return expect(await page.locator("#view").isHidden()).toBe(true);
  if (every !== undefined) await page.locator("#result tbody tr").first().waitFor();
  else if ((await page.textContent("#view")) === "Chart") await page.click("#view");
  const caption = `${title}${chart.value} by ${chart.label}`;
  await waitForText(page, "#result figcaption", caption);
  await page.locator("#result svg").waitFor();
});

describe("the SQL page", () => {
  it("opens with the result of the first question", async () => {
    const own = await pages.open();
    await waitForText(own, "#result td", "2026-01-01");
    expect(await own.textContent("#about")).toBe(QUESTIONS[0]?.about);
    expect(await editorText(own)).toBe(QUESTIONS[0]?.sql);
    await own.close();
  });

  it("opens with the statement of its address", async () => {
    const own = await pages.open(`#${encodeURIComponent("SELECT 'linked'")}`);
    await waitForText(own, ".cm-line", "SELECT 'linked'");
    expect(await own.textContent("#result")).toBe("");
    await own.close();
  });

  it("repeats a question of the last minutes while it is shown", async () => {
    const own = await pages.open();
    await choose(own, "What happens right now?");
    const rejected = async () =>
      (await own.locator("#result td:last-child").allTextContents()).reduce(
        (sum, n) => sum + Number(n),
        0,
      );
    const before = await rejected();
    await publish(pages.engine.db, [rawMessage("browser", "no JSON")]);
    await expect.poll(rejected, { timeout: 180_000 }).toBe(before + 1);
    await own.close();
  });

  it("names the workspace, and another one that was used last", async () => {
    const name = basename(pages.engine.directory);
    expect(await page.textContent("h1")).toBe(`SQL · ${name}`);
    expect(await page.title()).toBe(`SQL · ${name} · Event Pipeline Stack`);
    const hintFor = async (last: string, hint: string) => {
      writeFileSync(join(pages.state, "workspace"), `${last}\n`);
      await page.locator("body").dispatchEvent("focus", { bubbles: true });
      await expect.poll(() => page.textContent("#hint"), { timeout: 180_000 }).toBe(hint);
    };
    await hintFor(
      "/data/other",
      "The workspace other was used last. To query it, run make play again.",
    );
    await hintFor(pages.engine.directory, "");
  });

  it("narrows statements to a site, also through views", async () => {
    const { db } = pages.engine;
    const site = "it's \\ own";
    await db.run(
      "INSERT INTO dm.session SELECT * REPLACE ({site:String} AS site) FROM dm.session LIMIT 5",
      { site },
    );
    const own = await pages.open(
      `#${encodeURIComponent("SELECT concat('sessions ', toString(sum(sessions))) FROM dm.v_channels")}`,
    );
    await own.selectOption("#site", site);
    await waitForText(own, "#result td", /^sessions 5$/);
    const filters = "SELECT toString(getSetting('additional_table_filters')) AS filters";
    const live = await pages.open(`#${encodeURIComponent(filters)}`);
    await live.selectOption("#site", site);
    await waitForText(live, "#result td", /dm\.v_live_events/);
    await live.close();
    await own.selectOption("#site", "all");
    const [all] = await db.rows<{ sessions: number }>("SELECT count() AS sessions FROM dm.session");
    await waitForText(own, "#result td", `sessions ${all?.sessions}`);
    await own.close();
    await db.run("DELETE FROM dm.session WHERE site = {site:String}", { site });
  });

  it("lists marts first, with their descriptions and without scratch tables", async () => {
    const groups = page.locator("#tables details");
    expect(await groups.first().getAttribute("id")).toBe("database-dm");
    expect(await page.locator("#database-dm_internal").count()).toBe(0);
    const marts = await groups.first().locator(".choice span:first-child").allTextContents();
    expect(marts).toContain("v_funnel");
    expect(marts.filter((name) => /_build$|^work_/.test(name))).toEqual([]);
    const name = page.locator("span:first-child", { hasText: /^v_funnel$/ });
    const funnel = groups.first().locator(".choice", { has: name });
    expect(await funnel.locator("small").textContent()).toBe(objectDescription("dm.v_funnel"));
  });

  it("shows the columns of a table, and inserts a name", async () => {
    const toggle = page.getByRole("button", { name: "Columns of v_funnel", exact: true });
    await toggle.click();
    expect(await toggle.getAttribute("aria-expanded")).toBe("true");
    const columns = page.locator(".table", { has: toggle }).locator("li button");
    expect(await columns.locator("span").allTextContents()).toContain("stage");
    await page.keyboard.press("Escape");
    await columns.filter({ hasText: /^stageString|^stageLow/ }).click();
    expect(await editorText(page)).toContain("stage");
    await toggle.click();
    expect(await columns.first().isHidden()).toBe(true);
  });

  it("shows the first rows of a table", async () => {
    await page.click("#tables .choice:has-text('complete_period')");
    await waitForStatus(page, /^1 row · /);
    expect(await editorText(page)).toBe("SELECT *\nFROM dm.complete_period\nLIMIT 100");
    expect(await page.textContent("#about")).toBe(objectDescription("dm.complete_period"));
  });

  it("shows the meaning of every column of the marts, dds and ods", async () => {
    await page.click("#dictionary");
    await waitForText(page, "#result td", "dm.");
    const rows = await page.locator("#result tbody tr").allTextContents();
    expect(rows).toContainEqual(
      expect.stringContaining(columnDescription("dm.session", "entry_page")),
    );
    const tables = await page.locator("#result tbody td:first-child").allTextContents();
    const layers = new Set(tables.map((table) => table.split(".")[0]));
    expect([...layers]).toEqual(["dm", "dds", "ods"]);
  });

  it("fits a phone, whose lists close when a question is chosen", async () => {
    const phone = await pages.open("", { viewport: { width: 390, height: 844 } });
    await waitForText(phone, "#result td", "2026-01-01");
    expect(await phone.locator("#questions").isVisible()).toBe(false);
    await phone.click("#lists > summary");
    await choose(phone, "How far do sessions get?");
    expect(await phone.locator("#questions").isVisible()).toBe(false);
    await phone.click("#view");
    await phone.locator("#result svg").waitFor();
    const width = await phone.locator("html").evaluate((html) => html.scrollWidth);
    expect(width).toBe(390);
    await phone.close();
  });

  it("causes no error, also none of its own policy", () => {
    expect(pages.problems).toEqual([]);
  });
});
