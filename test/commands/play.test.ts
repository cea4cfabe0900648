import { readFileSync, writeFileSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { holdEngine } from "../../warehouse/engine/engine.ts";
import { pageFile } from "../../warehouse/engine/record.ts";
import { playPage, QUESTIONS } from "../../warehouse/play/page.ts";
import { objectDescription } from "../../warehouse/schema/comments.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";
import { makeDays, reload } from "./history/generate.ts";
import { BROWSER } from "./play-browser.ts";

let engine: TestEngine;
let url: string;
beforeAll(async () => {
  engine = await openTestEngine();
  const { backfill, manifest } = await makeDays();
  await reload(engine.db, backfill, manifest);
  const { httpPort, release } = await holdEngine(engine.directory);
  await release();
  url = `http://127.0.0.1:${httpPort}`;
  writeFileSync(pageFile(engine.directory), playPage("<b>&"));
});
afterAll(() => engine[Symbol.asyncDispose]());

test("there are ten questions", () => {
  expect(QUESTIONS).toHaveLength(10);
});

test("the page names the folder of its data, as text", async () => {
  const text = await (await fetch(`${url}/play`)).text();
  expect(text).toContain("<h1>SQL · &lt;b&gt;&amp;</h1>");
  expect(text).toContain("<title>SQL · &lt;b&gt;&amp; · Event Pipeline Stack</title>");
  expect(text).not.toContain("{{");
});

test.each(QUESTIONS)("$title", async ({ title, about, sql }) => {
  expect(title).toMatch(/\?$/);
  expect(about).toMatch(/\.$/);
  const result = JSON.parse((await engine.db.read(sql, "JSONCompact")).toString());
  expect(result.rows).toBeGreaterThan(0);
});

describe.skipIf(!BROWSER)("the SQL page on marts", () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({
      ...(BROWSER ? { executablePath: BROWSER } : {}),
      args: ["--no-sandbox"],
    });
    page = await browser.newPage();
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    await page.goto(`${url}/play`);
  });
  afterAll(() => browser.close());

  const status = (wanted: RegExp): Promise<void> =>
    expect.poll(() => page.textContent("#status"), { timeout: 180_000 }).toMatch(wanted);
  const choose = async (title: string): Promise<void> => {
    await page.click(`#examples button:has-text("${title}")`);
    await status(/^\d+ rows · /);
  };

  it("opens with the result of the first question", async () => {
    await page.waitForSelector("#result table");
    expect(await page.textContent("#about")).toBe(QUESTIONS[0]?.about);
    expect(await page.inputValue("#query")).toBe(QUESTIONS[0]?.sql);
    await status(/^\d+ rows · /);
    expect(await page.locator("#result td").first().textContent()).toBe("2026-01-01");
  });

  it("lists marts first, with their descriptions and without scratch tables", async () => {
    const groups = page.locator("#tables details");
    expect(await groups.first().getAttribute("data-name")).toBe("dm");
    expect(await page.locator('#tables details[data-name="dm_internal"]').count()).toBe(0);
    const marts = await groups.first().locator("button span:first-child").allTextContents();
    expect(marts).toContain("v_funnel");
    expect(marts.filter((name) => /_build$|^work_/.test(name))).toEqual([]);
    const name = page.locator("span:first-child", { hasText: /^v_funnel$/ });
    const funnel = groups.first().locator("button", { has: name });
    expect(await funnel.locator("small").textContent()).toBe(objectDescription("dm.v_funnel"));
  });

  it("shows a result as bars, and as a table again", async () => {
    await choose("How far do sessions get?");
    await page.click("#chart");
    const lengths = await page
      .locator("#result meter")
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("value"))));
    expect(lengths).toHaveLength(5);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    await page.click("#chart");
    expect(await page.locator("#result th").count()).toBe(3);
  });

  it("downloads the whole result as CSV", async () => {
    await choose("At what time of day do people come?");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
    expect(download.suggestedFilename()).toBe("result.csv");
    const lines = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n");
    expect(lines[0]).toBe('"hour","mean_page_events"');
    expect(lines).toHaveLength(25);
  });

  it("shows the meaning of every column of the marts, dds and ods with one click", async () => {
    await page.click("#dictionary");
    await status(/^\d+ rows · /);
    const rows = await page.locator("#result tbody tr").allTextContents();
    expect(rows).toContainEqual(expect.stringContaining("First page of the session"));
    const tables = await page.locator("#result tbody td:first-child").allTextContents();
    const layers = new Set(tables.map((table) => table.split(".")[0]));
    expect([...layers]).toEqual(["dm", "dds", "ods"]);
  });

  it("violates none of its own content policy", () => {
    expect(problems).toEqual([]);
  });
});
