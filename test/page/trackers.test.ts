import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { launchChromium } from "../../scripts/chromium.ts";
import { pipelineAsync } from "../support/cli.ts";
import { startCollector } from "../support/collector.ts";
import { blocksOf } from "../support/page-blocks.ts";
import { freePort } from "../support/ports.ts";
import type { ScriptProcess } from "../support/process.ts";
import { useFolder } from "../support/use-folder.ts";
import { DOCS, serveSite, TRACKERS, type Tracker } from "./trackers/site.ts";

/** Trackers wait before they send again, and a busy machine needs long. */
const PATIENCE = { timeout: 300_000, interval: 500 };

const directory = useFolder("trackers");
const problems: string[] = [];
let browser: Browser;
let collector: ScriptProcess;
let port: number;
beforeAll(async () => {
  port = await freePort();
  collector = await startCollector(directory, port);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await collector.kill9();
});

/** Opens a browser that looks like a visitor's, because some trackers ignore those of tests. */
async function newVisitor(script = ""): Promise<BrowserContext> {
  const visitor = await browser.newContext({
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
  });
  await visitor.addInitScript(
    `Object.defineProperty(navigator, "webdriver", { get: () => false }); ${script}`,
  );
  return visitor;
}

const WRONG_CLOCK = `globalThis.Date = class extends Date {
  static now = () => super.now() - 3 * 86_400_000;
  constructor(...time) { super(...(time.length ? time : [Date.now()])); }
}`;

interface Tab {
  readonly tracker: Tracker;
  readonly page: Page;
  /** Clicks whose request was answered. */
  readonly answered: Set<string>;
}

/** Opens the page of each tracker. */
const openTabs = (visitor: BrowserContext, site: string): Promise<Tab[]> =>
  Promise.all(
    (Object.keys(TRACKERS) as Tracker[]).map(async (tracker) => {
      const page = await visitor.newPage();
      page.setDefaultTimeout(PATIENCE.timeout);
      page.on("pageerror", (error) => problems.push(`${tracker}: ${error}`));
      const answered = new Set<string>();
      page.on("response", (response) => {
        if (!response.ok()) return;
        for (const [id] of (response.request().postData() ?? "").matchAll(CLICK)) answered.add(id);
      });
      await page.goto(`${site}/${tracker}`);
      return { tracker, page, answered };
    }),
  );

const CLICK = /click-\w+-\w+-\d+/g;
const clicked: string[] = [];

/** Clicks in each tab. */
async function click(tabs: readonly Tab[], name: string, count: number): Promise<void> {
  const clickIn = async ({ tracker, page }: Tab) => {
    const ids = Array.from({ length: count }, (_, i) => `click-${tracker}-${name}-${i}`);
    clicked.push(...ids);
    await page.locator("[data-ready] button").evaluate(async (button, numbers) => {
      for (const n of numbers) {
        button.dataset.n = n;
        button.click();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }, ids);
  };
  await Promise.all(tabs.map(clickIn));
}

const reload = (tabs: readonly Tab[]) => Promise.all(tabs.map(({ page }) => page.reload()));

/** Waits until the collector has these clicks. */
async function waitForArrival(ids: readonly string[]): Promise<void> {
  await vi.waitFor(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/micro/good`);
    const got = new Set((await answer.text()).match(CLICK));
    expect(ids.filter((id) => !got.has(id))).toEqual([]);
  }, PATIENCE);
}

/** Runs a command in the workspace of the collector. */
async function run(...args: string[]): Promise<string> {
  const { stdout, stderr, status } = await pipelineAsync([...args, "--database", directory]);
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

async function rows<T>(sql: string): Promise<T[]> {
  const lines = (await run("query", sql, "--format", "JSONEachRow")).trim().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}

test("the calls of the page about the collector give an order in a mart", async () => {
  const site = await serveSite(port);
  const [, section = ""] = DOCS.split("### The snippet\n");
  const calls = blocksOf(section).find(({ language }) => language === "js");
  const [, query = ""] = /query "(.*?)"/.exec(DOCS) ?? [];
  const visitor = await newVisitor();
  const page = await visitor.newPage();
  await page.goto(`${site}/page`);
  await page.locator("[data-ready]").waitFor();
  // Without consent a page stores nothing.
  expect(await visitor.storageState()).toEqual({ cookies: [], origins: [] });
  await page.evaluate(calls?.code ?? "");
  await vi.waitFor(async () => {
    expect(await rows(query)).toMatchObject([{ entry_page: "/page", purchases: 1 }]);
  }, PATIENCE);
  const { cookies, origins } = await visitor.storageState();
  expect([cookies, origins.map(({ origin }) => origin)]).toEqual([[], [site]]);
  await visitor.close();
});

test("the page of hits shows what was sent as text", async () => {
  const hostile = "<img src=x onerror='document.title = String(1)'>";
  const body = JSON.stringify({ site: hostile, type: hostile, url: `http://x/${hostile}` });
  const hit = await fetch(`http://127.0.0.1:${port}/hit`, { method: "POST", body });
  expect(hit.status).toBe(200);
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE.timeout);
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.locator(".event, .bad", { hasText: hostile }).first().waitFor();
  expect(await page.title()).toBe("Last hits");
  expect(await page.locator("img").count()).toBe(0);
  await page.close();
});

test("500 clicks on pages of five trackers arrive once", async () => {
  const site = await serveSite(port);
  const started = Date.now();
  const visitor = await newVisitor();
  const left = await openTabs(visitor, site);
  const right = await openTabs(visitor, site);
  const clickBoth = (name: string, count: number) =>
    Promise.all([click(left, `left_${name}`, count), click(right, `right_${name}`, count)]);
  for (const round of ["first", "second"]) {
    await clickBoth(round, 15);
    // Requests of the pages are under way.
    await reload([...left, ...right]);
  }

  const late = await openTabs(await newVisitor(WRONG_CLOCK), site);
  await click(late, "late", 15);
  await Promise.all(late.map(({ page }) => page.goto("about:blank")));

  const guarded = await newVisitor();
  const isHit = ({ port: to, pathname }: URL) => to === `${port}` && pathname !== "/snippet.js";
  await guarded.route(isHit, (route) => route.abort("blockedbyclient"));
  const blocked = await openTabs(guarded, site);
  await click(blocked, "blocked", 5);

  await clickBoth("before", 5);
  await collector.kill9();
  await clickBoth("away", 4);
  collector = await startCollector(directory, port);
  // Snowplow's tracker sends what waits with its next event, or when the visitor returns.
  await clickBoth("after", 1);
  await Promise.all(late.map(({ page }) => page.goBack()));
  await guarded.unrouteAll();
  await reload(blocked);

  expect(clicked).toHaveLength(500);
  const answered = new Set([...left, ...right, ...late].flatMap((tab) => [...tab.answered]));
  const due = clicked.filter((id) => answered.has(id) || !UNSURE.test(id));
  await waitForArrival(due);
  await collector.stop("SIGINT");
  expect(problems).toEqual([]);

  const bad = "SELECT count() AS bad FROM hits.outcome FINAL WHERE is_bad";
  expect(await rows(bad)).toEqual([{ bad: 0 }]);
  const typed = await rows<Click>(CLICKS);
  const ids = typed.map(({ id }) => id);
  expect(due.filter((id) => !ids.includes(id))).toEqual([]);
  expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([]);
  const times = typed.map(({ time }) => time);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(started);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
  for (const tracker of ["snowplow", "segment", "posthog"]) {
    const ofTabs = typed.filter(({ id }) => /-(left|right)_/.test(id) && id.includes(tracker));
    expect(new Set(ofTabs.map((one) => one.visitor)).size).toBe(1);
  }
  expect(await run("prove")).toContain("0 unaccounted");
});

/**
 * Clicks that a tracker gives up if they are not answered: what an ad blocker stops, all of Plausible's, and those of
 * Segment's on a page that is left.
 */
const UNSURE = /blocked|plausible-\w+_(before|away)|segment-(\w+_(first|second)|late)/;

interface Click {
  readonly id: string;
  readonly time: number;
  readonly visitor: string;
}

const CLICKS = `SELECT extract(toString(properties), 'click-[-\\w]+') AS id,
    toUnixTimestamp64Milli(event_timestamp) AS time, user_custom_id AS visitor
  FROM dds.event LEFT JOIN dds.click USING click_id WHERE event_type = 'click'`;
