import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, writeWhole } from "../../contract/files.ts";
import type { Dashboard } from "../dashboard.ts";
import { drawDashboard } from "./html.ts";
import { readSeries, type Span } from "./series.ts";

const STYLE = join(import.meta.dirname, "style.css");

export const readStyle = (): string => readFileSync(STYLE, "utf8");

export async function writePictures(
  url: string,
  dashboards: readonly Dashboard[],
  folder: string,
  span: Span,
): Promise<string[]> {
  makeFolder(folder);
  const style = readStyle();
  const files: string[] = [];
  for (const dashboard of dashboards) {
    const file = join(folder, `${dashboard.uid}.html`);
    writeWhole(file, drawDashboard(dashboard, await readSeries(url, dashboard, span), style));
    files.push(file);
  }
  return files;
}
