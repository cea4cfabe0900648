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

/** A busy machine needs longer than the default of 30 s. */
const START_WITHIN_MS = 180_000;

/** Starts Chromium. @throws UserError if it is not on PATH */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: FLAGS, timeout: START_WITHIN_MS });

/** Returns the path of Chromium. @throws UserError if it is not on PATH */
export function findChromium(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  for (const name of NAMES) {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (found) return found;
  }
  throw new UserError(
    `Chromium is missing: none of ${NAMES.join(", ")} is on PATH`,
    "run apt-get install chromium, or use your system's package manager",
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
