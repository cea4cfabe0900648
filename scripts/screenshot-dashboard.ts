/**
 * Takes screenshots of the BI dashboard.
 * SUPERSET_PASSWORD=… node scripts/screenshot-dashboard.ts [--superset URL] [--folder docs/images]
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { UserError } from "../contract/errors.ts";
import { makeFolder } from "../contract/files.ts";
import { overview } from "../superset/dashboards/overview.ts";
import { reportFailure } from "../terminal/failure.ts";
import { launchChromium } from "./chromium.ts";
import { logIn, openDashboard, WINDOW } from "./dashboard-page.ts";
import { reportPicture } from "./picture-size.ts";

const { sectionTitles } = overview;

const PICTURES = [
  { name: "dashboard.png", from: 0, to: 1 },
  { name: "dashboard-audience.png", from: 1, to: 3 },
  { name: "dashboard-quality.png", from: 3, to: sectionTitles.length },
] as const;

const MARGIN = 16;

async function shoot(url: string, folder: string): Promise<void> {
  const login = { url, user: process.env.SUPERSET_USER ?? "admin", password: password() };
  const browser = await launchChromium();
  try {
    const page = await logIn(browser, login);
    await openDashboard(page, url, `${overview.slug}/`);
    makeFolder(folder);
    const edges = await edgesOf(page);
    for (const { name, from, to } of PICTURES) {
      const path = join(folder, name);
      const [y = 0, end = 0] = [edges.tops[from], edges.tops[to]];
      // The first picture includes the header of the page and the filters.
      const clip =
        from === 0
          ? { x: 0, y: 0, width: WINDOW.width, height: end }
          : { x: edges.left, y, width: WINDOW.width - edges.left, height: end - y };
      await page.screenshot({ path, clip });
      reportPicture(path, "reduce the sections of the picture in PICTURES");
    }
  } finally {
    await browser.close();
  }
}

/** Returns the left edge of the tiles, the tops of sections and the bottom of the last, pixels. */
async function edgesOf(page: Page): Promise<{ left: number; tops: readonly number[] }> {
  const tiles = page.locator(".dashboard-component-chart-holder");
  const headings = sectionTitles.map((title) => page.getByText(title, { exact: true }).first());
  const [first, last, ...sections] = await Promise.all(
    [tiles.first(), tiles.last(), ...headings].map((place) => place.boundingBox()),
  );
  const tops = sections.map((box) => (box?.y ?? 0) - MARGIN);
  return { left: (first?.x ?? 0) - MARGIN, tops: [...tops, endOf(last) + MARGIN] };
}

const endOf = (box: { y: number; height: number } | null | undefined): number =>
  box ? box.y + box.height : 0;

function password(): string {
  const value = process.env.SUPERSET_PASSWORD;
  if (value) return value;
  throw new UserError(
    "SUPERSET_PASSWORD is not set, but the dashboard requires a login",
    "set SUPERSET_PASSWORD to the password that make secrets prints",
  );
}

try {
  const { values } = parseArgs({
    options: {
      superset: { type: "string", default: "http://localhost:8088" },
      folder: { type: "string", default: join(import.meta.dirname, "../docs/images") },
    },
  });
  await shoot(values.superset, values.folder);
} catch (error) {
  process.exitCode = reportFailure(error);
}
