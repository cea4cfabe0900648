import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, writeWhole } from "../../contract/files.ts";
import type { Page } from "../dashboard.ts";
import { readCourses, type Span } from "./courses.ts";
import { drawPage } from "./page.ts";

const STYLE = join(import.meta.dirname, "style.css");

export const readStyle = (): string => readFileSync(STYLE, "utf8");

/** Draws each dashboard from Prometheus' data; returns the files. */
export async function writePictures(
  url: string,
  pages: readonly Page[],
  folder: string,
  span: Span,
): Promise<string[]> {
  makeFolder(folder);
  const style = readStyle();
  const files: string[] = [];
  for (const page of pages) {
    const file = join(folder, `${page.uid}.html`);
    writeWhole(file, drawPage(page, await readCourses(url, page, span), style));
    files.push(file);
  }
  return files;
}
