import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const WATCH = join(import.meta.dirname, "watch");

/** Makes every Python process record the deprecation warnings that `ownCode` causes. */
export const watchDeprecations = (ownCode: string, file: string): Record<string, string> => ({
  PYTHONPATH: [WATCH, process.env.PYTHONPATH].filter(Boolean).join(delimiter),
  OWN_CODE: ownCode,
  DEPRECATIONS: file,
});

/** The recorded warnings, without repeats: our line and its warning. */
export function notedDeprecations(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return [...new Set(lines)].map((line) => JSON.parse(line) as string);
}
