import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { serveHttp } from "../support/http.ts";
import {
  editorText,
  openTestPages,
  run,
  type TestPages,
  type,
  waitForStatus,
  waitForText,
} from "./pages.ts";

let pages: TestPages;
let page: Page;
beforeAll(async () => {
  pages = await openTestPages();
  page = await pages.open();
  await waitForStatus(page, /^\d+ rows? /);
});
afterAll(() => pages[Symbol.asyncDispose]());

const isHidden = (selector: string): Promise<boolean> => page.locator(selector).isHidden();

describe("a statement on the SQL page", () => {
  it("takes away the previous result and description when it starts", async () => {
    await page.click("#dictionary");
    await waitForText(page, "#result td", "dm.");
    expect(await page.textContent("#about")).not.toBe("");
    await type(page, "SELECT sleepEachRow(1) FROM system.numbers SETTINGS max_block_size = 1");
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /^Running…$/);
    expect(await page.textContent("#about")).toBe("");
    expect(await page.textContent("#result")).toBe("");
    for (const button of ["#download", "#view"]) expect(await isHidden(button)).toBe(true);
    await page.click("#stop");
    await waitForStatus(page, /^Stopped$/);
    expect(await isHidden("#stop")).toBe(true);
  });

  it("ends the one that still runs", async () => {
    await type(page, "SELECT sleepEachRow(1) FROM system.numbers SETTINGS max_block_size = 1");
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /^Running…$/);
    await run(page, "SELECT 'next'");
    expect(await page.textContent("#result td")).toBe("next");
  });

  it.each([
    ["SELECT 1 -- one", "1 row · 1 row read · T"],
    ["SELECT number FROM numbers(2000);", "2,000 rows (first 1,000 shown) · 2,000 rows read · T"],
    // ClickHouse reads only a part of the rows that a cut result is made of.
    ["SELECT number FROM numbers(1000000)", "1,000,000 rows (first 1,000 shown) · T"],
    [
      "SELECT number FROM numbers(300000) LIMIT 70000 -- last",
      "70,000 rows (first 1,000 shown) · T",
    ],
  ])("%s: the row count is exact", async (sql, status) => {
    await run(page, sql);
    expect((await page.textContent("#status"))?.replace(/\d+[.]\d+ s$/, "T")).toBe(status);
  });

  it("with a FORMAT of its own is shown as text, with its row count", async () => {
    await type(page, "SELECT number FROM numbers(100000) FORMAT CSV");
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /^100,000 rows · /);
    expect(await page.textContent("#result pre")).toMatch(/^0\n1\n2\n/);
  });

  it("keeps the digits of large numbers, and shows NULL", async () => {
    await run(page, "SELECT 18446744073709551615 AS n, NULL, [1, 2]");
    expect(await page.locator("#result td").allTextContents()).toEqual([
      "18446744073709551615",
      "NULL",
      "[1,2]",
    ]);
  });

  it("is downloaded as CSV with all its rows, even if the text has changed", async () => {
    await run(page, "SELECT number FROM numbers(70000)");
    await type(page, "SELECT 2");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
    expect(download.suggestedFilename()).toBe("result.csv");
    const lines = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\n");
    expect(lines).toHaveLength(70_001);
    expect(lines[0]).toBe('"number"');
  });

  it("is kept by its name, shared without the password, and forgotten", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    page.once("dialog", (dialog) => dialog.accept("My query"));
    await type(page, "SELECT 'kept'");
    await page.click("#keep");
    await page.click("#link");
    await waitForStatus(page, /^The address is copied$/);
    const link = await page.evaluate("navigator.clipboard.readText()");
    expect(link).toBe(`${pages.url}/play#SELECT%20'kept'`);
    await page.reload();
    await page.click("#kept .choice");
    await waitForStatus(page, /^1 row /);
    expect(await page.textContent("#result td")).toBe("kept");
    await page.click("#kept [title='Forget My query']");
    expect(await page.locator("#kept button").count()).toBe(0);
  });

  it("with a syntax error is marked, and explained in one line", async () => {
    await type(page, "SELECT 'ü',\n  1 x y z");
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /^Failed$/);
    expect(await page.textContent("#result pre")).toBe("Syntax error at line 2, column 7 near y");
    expect(await page.textContent(".cm-error")).toBe("y");
    await run(page, "SELECT 1");
    expect(await page.locator(".cm-error").count()).toBe(0);
  });

  it("with another error shows the message alone", async () => {
    await type(page, "SELECT * FROM nope.nope");
    await page.keyboard.press("Control+Enter");
    await waitForStatus(page, /^Failed$/);
    expect(await page.textContent("#result pre")).toBe(
      "Database nope does not exist. (UNKNOWN_DATABASE)",
    );
  });

  it.each(["CREATE TABLE x (a Int8) ENGINE = Memory", "SELECT * FROM file('x.csv')"])(
    "%s: the reader has no right to it",
    async (sql) => {
      await type(page, sql);
      await page.keyboard.press("Control+Enter");
      await waitForText(page, "#result pre", /^reader: Not enough privileges|readonly/);
    },
  );
});

test("the page says so when ClickHouse does not answer", async () => {
  const own = await pages.open("#SELECT%201");
  await own.route(/\/\?/, (route) => route.abort());
  await own.click("#run");
  await waitForText(own, "#result pre", /^ClickHouse does not answer/);
  await own.close();
});

test("the page asks for its full address without the password", async () => {
  const own = await pages.open();
  await own.goto(`${pages.url}/play?password=wrong#SELECT%201`);
  await own.click("#run");
  for (const place of ["#tables pre", "#result pre"]) {
    await waitForText(own, place, /^This address lacks the password .*\nhint: open the address/);
  }
  await own.close();
});

test("the page asks for a missing password without an error, and opens with it", async () => {
  const own = await pages.open();
  await own.goto(`${pages.url}/play#${encodeURIComponent("SELECT 'linked'")}`);
  expect(await own.locator("pre.error").count()).toBe(0);
  await own.fill("#password", pages.password);
  await own.keyboard.press("Enter");
  await waitForText(own, "#tables summary", /^dm /);
  expect(await editorText(own)).toBe("SELECT 'linked'");
  expect(await own.isHidden("#login")).toBe(true);
  await own.close();
});

test("a page of another site reads no answer, even with the password", async () => {
  const other = await serveHttp((_, response) => response.end("<h1>Other</h1>"));
  const own = await pages.open();
  await own.goto(`${other}/`);
  const query = new URLSearchParams({
    query: "SELECT 1",
    user: "reader",
    password: pages.password,
    http_response_headers: "{'Access-Control-Allow-Origin': '*'}",
  });
  const answer = (address: string) =>
    own.evaluate((url) => fetch(url).then((response) => response.text(), String), address);
  for (const path of [`/?${query}`, "/play/start.json"]) {
    expect(await answer(`${pages.url}${path}`)).toBe("TypeError: Failed to fetch");
  }
  await own.close();
});

describe("the keyboard on the SQL page", () => {
  it("runs the selection if there is one", async () => {
    await type(page, "SELECT 'selected' FROM nowhere x y");
    await page.keyboard.press("ControlOrMeta+Home");
    for (const _ of "SELECT 'selected'") await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Control+Enter");
    await waitForText(page, "#result td", "selected");
  });

  it("runs with Cmd+Enter too, and adds no line", async () => {
    await type(page, "SELECT 'command'");
    await page.keyboard.press("Meta+Enter");
    await waitForText(page, "#result td", "command");
    expect(await editorText(page)).toBe("SELECT 'command'");
  });

  it("indents with Tab, and leaves the editor with Escape and Tab", async () => {
    await type(page, "SELECT 1");
    await page.keyboard.press("Tab");
    expect(await editorText(page)).toBe("  SELECT 1");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await page.locator("#run:focus").waitFor();
  });

  it("completes functions, tables, and columns of the named table", async () => {
    const completed = async (sql: string, word: string, name: string) => {
      await type(page, sql);
      await page.keyboard.press("Home");
      for (const _ of "SELECT ") await page.keyboard.press("ArrowRight");
      await page.keyboard.type(word);
      await page.locator(".cm-completionLabel", { hasText: new RegExp(`^${name}$`) }).waitFor();
      await page.keyboard.press("Escape");
    };
    await completed("SELECT  FROM dm.session", "entry_p", "entry_page");
    await completed("SELECT ", "tostartofh", "toStartOfHour");
    await completed("SELECT ", "dm.v_fun", "v_funnel");
    await completed("SELECT ", "distin", "DISTINCT");
  });

  it("causes no error, also none of the page's own policy", () => {
    // The browser reports the answers to wrong statements.
    const answers = /the server responded with a status of [45]\d\d|net::ERR_FAILED|CORS policy/;
    expect(pages.problems.filter((problem) => !answers.test(problem))).toEqual([]);
  });
});
