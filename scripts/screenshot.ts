/**
 * Takes a screenshot of an HTML file, with the installed Chromium. Writes the manifest checksum that a
 * report shows beside its picture, as JSON.
 * node scripts/screenshot.ts report.html docs/images/report.png [--dark] [--phone] [--top N]
 * [--height N]
 */
import { existsSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { UserError } from "../contract/errors.ts";
import { makeFolder } from "../contract/files.ts";
import { reportFailure } from "../terminal/failure.ts";
import { launchChromium } from "./chromium.ts";
import { reportPicture } from "./picture-size.ts";

interface Shot {
  readonly page: string;
  readonly picture: string;
  readonly isDark: boolean;
  readonly isPhone: boolean;
  /** Top of the part to show, pixels; without a height, the whole page. */
  readonly top: number;
  readonly height: number | undefined;
}

function readArguments(): Shot {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      dark: { type: "boolean", default: false },
      phone: { type: "boolean", default: false },
      top: { type: "string", default: "0" },
      height: { type: "string" },
    },
  });
  const [page, picture] = positionals;
  if (page === undefined || picture === undefined || !existsSync(page)) {
    throw new UserError(
      `The page ${page ?? ""} does not exist. Allowed: an HTML file, then the PNG to write`,
      "run make demo to write report.html",
    );
  }
  const { dark: isDark, phone: isPhone } = values;
  const height = values.height === undefined ? undefined : pixels("--height", values.height, 1);
  return { page, picture, isDark, isPhone, top: pixels("--top", values.top, 0), height };
}

function pixels(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least) return value;
  throw new UserError(
    `${option} ${text}: must be a whole number of at least ${least} pixels`,
    `set ${option} ${Math.max(least, 800)}`,
  );
}

async function shoot({ page, picture, isDark, isPhone, top, height }: Shot): Promise<void> {
  const browser = await launchChromium();
  try {
    const width = isPhone ? 390 : 1180;
    const tab = await browser.newPage({
      viewport: { width, height: 900 },
      colorScheme: isDark ? "dark" : "light",
      reducedMotion: "reduce",
    });
    await tab.goto(pathToFileURL(resolve(page)).href);
    makeFolder(dirname(picture));
    const clip = height === undefined ? {} : { clip: { x: 0, y: top, width, height } };
    await tab.screenshot({ path: picture, fullPage: true, ...clip });
    const [checksum] = await tab.locator("code.long").allTextContents();
    if (checksum !== undefined) {
      writeFileSync(picture.replace(/\.png$/, ".json"), `${JSON.stringify({ checksum })}\n`);
    }
  } finally {
    await browser.close();
  }
  reportPicture(picture, "reduce the picture with --height N");
}

try {
  await shoot(readArguments());
} catch (error) {
  process.exitCode = reportFailure(error);
}
