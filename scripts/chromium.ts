import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { UserError } from "../contract/errors.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--no-default-browser-check",
  "--hide-scrollbars",
];

/** @throws UserError if there is none on PATH */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: FLAGS });

/** @throws UserError if there is none */
export function findChromium(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of NAMES) {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (found) return found;
  }
  throw new UserError(
    `Chromium is missing: none of ${NAMES.join(", ")} is on PATH`,
    "apt-get install chromium (Debian), or the browser of your system",
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
