import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestPages, run, type TestPages, waitForStatus, waitForText } from "./pages.ts";

let pages: TestPages;
let page: Page;
beforeAll(async () => {
  pages = await openTestPages();
  page = await pages.open();
  await waitForStatus(page, /^\d+ rows? /);
});
afterAll(() => pages[Symbol.asyncDispose]());

/** Runs a statement and shows its chart. */
async function chart(sql: string): Promise<void> {
  await run(page, sql);
  if ((await page.textContent("#view")) === "Chart") await page.click("#view");
  await page.locator("#result svg").waitFor();
}

/** Left and right ends of the bars, in pixels, from the top. */
const bars = () =>
  page.locator("#result svg path[fill^='#']").evaluateAll((paths) =>
    paths
      .map((path) => path.getBoundingClientRect())
      .filter(({ height }) => height > 8)
      .sort((a, b) => a.top - b.top)
      .map(({ left, right }) => ({ left: Math.round(left), right: Math.round(right) })),
  );

describe("a chart on the SQL page", () => {
  it("draws negative numbers to the other side", async () => {
    await chart("SELECT * FROM values('a String, n Int8', ('x', -5), ('y', 5), ('z', 2))");
    const [x, y, z] = await bars();
    expect(x?.right).toBe(y?.left);
    expect(z?.left).toBe(y?.left);
    const length = (bar = { left: 0, right: 0 }) => bar.right - bar.left;
    expect(Math.abs(length(x) - length(y))).toBeLessThan(3);
    expect(length(y)).toBeGreaterThan(2 * length(z));
  });

  it("is a line over time", async () => {
    await chart("SELECT toDate('2026-01-01') + number AS day, number AS n FROM numbers(3)");
    await waitForText(page, "#result figcaption", "n by day");
    const labels = await page.locator("#result svg text").allTextContents();
    expect(labels).toContain("2026-01-02");
    expect(await page.locator("#result [aria-label*='Line chart']").count()).toBe(1);
  });

  it("uses the chosen columns, and splits by another", async () => {
    await chart(`SELECT * FROM values('a String, kind String, n Int8, m Int8',
      ('x', 'p', 1, 10), ('y', 'q', 2, 20))`);
    await waitForText(page, "#result figcaption", "n by a");
    await page.selectOption("#value", { label: "m" });
    await waitForText(page, "#result figcaption", "m by a");
    await page.selectOption("#split", { label: "kind" });
    await waitForText(page, "#result figcaption", "m by a, split by kind");
    await page.locator("#result svg").waitFor();
    const texts = await page.locator("#result svg text").allTextContents();
    expect(texts).toEqual(expect.arrayContaining(["x", "y", "p", "q"]));
  });

  it("of a result that was cut says how many rows it draws", async () => {
    await chart(
      "SELECT toDate('2000-01-01') + number AS day, number AS n FROM numbers(20000, 30000)",
    );
    await waitForText(page, "#result figcaption", /^n by day; first 30,000 rows$/);
  });

  it("has a tooltip", async () => {
    await chart("SELECT * FROM values('a String, n Int8', ('first', 17), ('second', 33))");
    await page.locator("#result svg").hover({ position: { x: 300, y: 40 } });
    await expect
      .poll(() => page.locator("#result svg text").allTextContents(), { timeout: 180_000 })
      .toContain("17");
  });

  it("stays a chart for the next statement, and becomes a table again", async () => {
    await chart("SELECT number AS a, number AS b FROM numbers(3)");
    await run(page, "SELECT number AS a, number AS c FROM numbers(3)");
    await waitForText(page, "#result figcaption", "c by a");
    await page.click("#view");
    expect(await page.locator("#result th").count()).toBe(2);
  });

  it("follows the colour scheme", async () => {
    await chart("SELECT number AS a, number AS b FROM numbers(3)");
    const colour = () => page.locator("#result svg text").first().getAttribute("fill");
    const light = await colour();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(colour, { timeout: 180_000 }).not.toBe(light);
    await page.emulateMedia({ colorScheme: "light" });
  });

  it("causes no error, also none of the page's own policy", () => {
    expect(pages.problems).toEqual([]);
  });
});
