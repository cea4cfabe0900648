import { existsSync } from "node:fs";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path of a Chromium; prints a note and returns undefined without one. */
export const BROWSER = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path));
if (!BROWSER) {
  console.warn("The SQL page is not tested: no Chromium found. Set CHROMIUM to its path.");
}
