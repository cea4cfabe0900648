import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { noCounts, type StreamCounts } from "../../contract/defects.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { fileName } from "../../generator/dataset/format.ts";
import { GzipLines } from "../../generator/dataset/writer.ts";
import type { Messages, Unmapped } from "./messages.ts";
import type { Row } from "./rows.ts";

const UNMAPPED_FILE = "unmapped.jsonl";
const LINES_PER_WRITE = 5000;
/** Unmapped rows that the summary has. */
const LISTED = 5;
/** Sessions remembered. A later row of an older one writes its device and geo messages again. */
const SESSIONS = 100_000;

interface UnmappedRow extends Unmapped {
  readonly file: string;
  readonly line: number;
}

export interface ImportSummary {
  readonly rows: number;
  readonly counts: StreamCounts;
  readonly unmapped: number;
  /** The first unmapped rows; all are in unmapped.jsonl of the data set. */
  readonly first: readonly UnmappedRow[];
}

/** The files of the data set. Device and geo messages come from the first row of a session. */
export class ImportOutput {
  readonly #dir: string;
  readonly #files: Readonly<Record<StreamName, GzipLines>>;
  readonly #lines: Record<StreamName, string[]> = {
    browser: [],
    location: [],
    device: [],
    geo: [],
  };
  readonly #counts = noCounts();
  readonly #first: UnmappedRow[] = [];
  #unmappedLines: string[] = [];
  #sessions = new Set<string>();
  #unmapped = 0;
  #rows = 0;

  private constructor(dir: string, files: Readonly<Record<StreamName, GzipLines>>) {
    this.#dir = dir;
    this.#files = files;
  }

  static async create(dir: string): Promise<ImportOutput> {
    const files: Partial<Record<StreamName, GzipLines>> = {};
    for (const stream of STREAMS) {
      files[stream] = await GzipLines.create(join(dir, fileName(stream)));
    }
    await writeFile(join(dir, UNMAPPED_FILE), "");
    return new ImportOutput(dir, files as Record<StreamName, GzipLines>);
  }

  async add(file: string, row: Row, found: Messages | Unmapped): Promise<void> {
    this.#rows += 1;
    if ("reason" in found) this.#reject({ file, line: row.line, reason: found.reason }, row);
    else this.#accept(found);
    if (this.#rows % LINES_PER_WRITE === 0) await this.#flush();
  }

  async close(): Promise<ImportSummary> {
    await this.#flush();
    for (const stream of STREAMS) await this.#files[stream].close();
    const [rows, counts, unmapped] = [this.#rows, this.#counts, this.#unmapped];
    return { rows, counts, unmapped, first: this.#first };
  }

  /** Closes the files of an import that failed. */
  async abandon(): Promise<void> {
    for (const stream of STREAMS) await this.#files[stream].abandon();
  }

  get rows(): number {
    return this.#rows;
  }

  #accept(messages: Messages): void {
    const session = String(messages.browser.click_id);
    const isKnown = this.#sessions.has(session);
    if (!isKnown && this.#sessions.size >= SESSIONS) this.#sessions = new Set();
    this.#sessions.add(session);
    const own = isKnown ? (["browser", "location"] as const) : STREAMS;
    for (const stream of own) {
      const message = messages[stream];
      if (message === undefined) continue;
      this.#lines[stream].push(JSON.stringify(message));
      this.#counts[stream] += 1;
    }
  }

  #reject(row: UnmappedRow, { content }: Row): void {
    this.#unmapped += 1;
    if (this.#first.length < LISTED) this.#first.push(row);
    this.#unmappedLines.push(`${JSON.stringify({ ...row, content })}\n`);
  }

  async #flush(): Promise<void> {
    for (const stream of STREAMS) await this.#files[stream].append(this.#lines[stream].splice(0));
    const lines = this.#unmappedLines.splice(0);
    if (lines.length > 0) await appendFile(join(this.#dir, UNMAPPED_FILE), lines.join(""));
  }
}
