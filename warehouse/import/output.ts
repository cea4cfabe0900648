import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type StreamCounts, zeroCounts } from "../../contract/defects.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { fileName } from "../../generator/dataset/format.ts";
import { GzipLines } from "../../generator/dataset/write.ts";
import type { Messages, UnmappedReason } from "./messages.ts";
import type { Row } from "./rows.ts";
import { SessionMessages } from "./session-messages.ts";

const UNMAPPED_FILE = "unmapped.jsonl";
const LINES_PER_WRITE = 5000;
/** Number of unmapped rows in the summary. */
const LISTED = 5;

interface UnmappedRow extends UnmappedReason {
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

/** The files of the data set. A session has one device message and at most one geo message. */
export class ImportOutput {
  readonly #dir: string;
  readonly #files: Readonly<Record<StreamName, GzipLines>>;
  readonly #lines: Record<StreamName, string[]> = {
    browser: [],
    location: [],
    device: [],
    geo: [],
  };
  readonly #counts = zeroCounts();
  readonly #first: UnmappedRow[] = [];
  #unmappedLines: string[] = [];
  readonly #sessions = new SessionMessages();
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

  async add(file: string, row: Row, found: Messages | UnmappedReason): Promise<void> {
    this.#rows += 1;
    if ("reason" in found) this.#reject({ file, line: row.line, reason: found.reason }, row);
    else this.#accept(found);
    if (this.#rows % LINES_PER_WRITE === 0) await this.#flush();
  }

  async close(): Promise<ImportSummary> {
    for (const messages of this.#sessions.all()) {
      this.#write(messages);
      if (this.#lines.device.length >= LINES_PER_WRITE) await this.#flush();
    }
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

  #accept({ browser, location, ...ofSession }: Messages): void {
    this.#write({ browser, location });
    const oldest = this.#sessions.add(ofSession);
    if (oldest) this.#write(oldest);
  }

  #write(messages: Partial<Messages>): void {
    for (const stream of STREAMS) {
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
