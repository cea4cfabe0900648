import type { Browser, Page } from "playwright-core";

export interface DashboardAddress {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** Window size that shows all charts, because Superset draws only visible charts. */
export const WINDOW = { width: 1500, height: 4400 };

const LOADING = ".loading, [data-test=loading-indicator]";
const TIMEOUT_MS = 300_000;

export async function logIn(
  browser: Browser,
  { url, user, password }: DashboardAddress,
): Promise<Page> {
  const page = await browser.newPage({ viewport: WINDOW, reducedMotion: "reduce" });
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(`${url}/login/`);
  await page.fill("#username", user);
  await page.fill("#password", password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/welcome/);
  return page;
}

/** @param path slug of a dashboard, with address parameters */
export async function openDashboard(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}/superset/dashboard/${path}`);
  await page.waitForSelector("[data-test=chart-container]");
  await drawn(page);
}

/** Waits until no chart is loading for two seconds, because charts load one after another. */
async function drawn(page: Page): Promise<void> {
  for (let calm = 0; calm < 4; ) {
    await page.waitForTimeout(500);
    calm = (await page.locator(LOADING).count()) === 0 ? calm + 1 : 0;
  }
}
