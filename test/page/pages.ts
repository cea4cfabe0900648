import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, vi } from "vitest";
import { launchChromium } from "../../scripts/chromium.ts";
import { holdEngine } from "../../warehouse/engine/engine.ts";
import { openTestEngine, type TestEngine } from "../support/engine.ts";

/** A busy machine needs far longer than the default of 30 s. */
const PATIENCE = 180_000;

export interface TestPages extends AsyncDisposable {
  readonly engine: TestEngine;
  readonly url: string;
  /** Password of the page's user. */
  readonly password: string;
  /** Folder of the file that names the last used workspace. */
  readonly state: string;
  /** Errors in the console of every page. */
  readonly problems: string[];
  /** @param fragment of the page's address, such as `#SELECT%201` */
  readonly open: (fragment?: string, options?: BrowserContextOptions) => Promise<Page>;
}

/** Starts an engine with the schema, and a browser for its page. */
export async function openTestPages(): Promise<TestPages> {
  const state = mkdtempSync(join(tmpdir(), "state-"));
  const engine = await startEngine(state);
  const { httpPort, readerPassword: password, release } = await holdEngine(engine.directory);
  const browser: Browser = await launchChromium();
  const url = `http://127.0.0.1:${httpPort}`;
  const problems: string[] = [];
  return {
    ...{ engine, url, password, state, problems },
    async open(fragment = "", options = {}) {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(PATIENCE);
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(`${url}/play?password=${password}${fragment}`);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await Promise.all([release(), engine[Symbol.asyncDispose]()]);
      rmSync(state, { recursive: true });
    },
  };
}

/** Starts an engine that reads the last used workspace in this folder. */
async function startEngine(state: string): Promise<TestEngine> {
  writeFileSync(join(state, "workspace"), "");
  const before = process.env.EVENT_PIPELINE_STATE;
  process.env.EVENT_PIPELINE_STATE = state;
  try {
    return await openTestEngine();
  } finally {
    if (before === undefined) delete process.env.EVENT_PIPELINE_STATE;
    else process.env.EVENT_PIPELINE_STATE = before;
  }
}

export const waitForStatus = (page: Page, wanted: RegExp): Promise<void> =>
  waitForText(page, "#status", wanted);

export const waitForText = (page: Page, selector: string, wanted: string | RegExp): Promise<void> =>
  vi.waitFor(
    async () => expect(await page.locator(selector).first().textContent()).toMatch(wanted),
    {
      timeout: PATIENCE,
    },
  );

/** Replaces the statement, as a user does. */
export async function type(page: Page, sql: string): Promise<void> {
  await page.click(".cm-content");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Backspace");
  await page.keyboard.insertText(sql);
}

/** Runs a statement and waits for its rows. */
export async function run(page: Page, sql: string): Promise<void> {
  await type(page, sql);
  await page.keyboard.press("Control+Enter");
  await waitForStatus(page, / rows? .* s$/);
}

export async function choose(page: Page, title: string): Promise<void> {
  await page.click(`#questions button:has-text("${title}")`);
  await waitForStatus(page, / rows? .* s$/);
}

export const editorText = async (page: Page): Promise<string> =>
  (await page.locator(".cm-line").allTextContents()).join("\n");
