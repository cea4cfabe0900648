import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BROWSER } from "./play-browser.ts";
import { startTestServer, type TestServer } from "./support.ts";

describe.skipIf(!BROWSER)("the SQL page", () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    server = await startTestServer({ password: "secret" });
    browser = await chromium.launch({
      ...(BROWSER ? { executablePath: BROWSER } : {}),
      args: ["--no-sandbox"],
    });
    page = await browser.newPage();
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.http.url)) problems.push(request.url());
    });
    await page.goto(`${server.http.url}/play`);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const run = async (sql: string): Promise<void> => {
    await page.fill("#query", sql);
    await page.keyboard.press("Control+Enter");
  };
  const status = (expected: RegExp): Promise<void> =>
    expect.poll(() => page.textContent("#status"), { timeout: 180_000 }).toMatch(expected);

  it("asks for the password, then lists the tables", async () => {
    await page.waitForSelector("#tables pre.error");
    await page.fill("#password", "secret");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#tables details[data-name=system]");
  });

  it("shows rows, big numbers with all digits, and text as text", async () => {
    await run("SELECT 18446744073709551615 AS n, NULL AS z, '<b>x</b>' AS t, [1, 2] AS l");
    await status(/^1 rows · 1 read · \d+\.\d{3} s$/);
    const cells = await page.locator("td").allTextContents();
    expect(cells).toEqual(["18446744073709551615", "NULL", "<b>x</b>", "[1,2]"]);
    expect(await page.locator("th").allTextContents()).toContain("nUInt64");
  });

  it("shows errors, and new tables", async () => {
    await run("SELECT * FROM nope");
    await status(/^Failed after/);
    expect(await page.textContent("#result pre.error")).toMatch(/^Code: 60\. DB::Exception: /);
    await run("CREATE TABLE `odd name` (a Int8) ENGINE = Memory");
    await page.waitForSelector("nav button:has-text('odd name')");
    await run("INSERT INTO `odd name` VALUES (1), (2)");
    await status(/^2 rows written/);
    await page.click("nav button:has-text('odd name')");
    await status(/^2 rows · /);
  });

  it("stops a long query", async () => {
    await run("SELECT sleepEachRow(0.1) FROM numbers(300) SETTINGS max_block_size = 1");
    await page.click("#stop");
    await status(/^Stopped after/);
  });

  it("loads no external resource and follows its own content policy", () => {
    expect(problems).toEqual([]);
  });
});
