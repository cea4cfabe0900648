import { basename } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { emptyBatch, type MessageBatch, messagesIn } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { type Micros, parseMicros } from "../../contract/time.ts";
import type { DonorPool } from "../model/donors.ts";
import { parseState, type StateV3 } from "../model/state.ts";
import { type ClockRow, clockRowSchema, type Dataset } from "./format.ts";
import { LineCursor, readLines } from "./lines.ts";

const LINES_PER_BATCH = 5000;

/** Yields batches. A key comes from the payload or is null; `emittedAt` is null without a clock. */
export async function* readBatches(dataset: Dataset): AsyncGenerator<MessageBatch> {
  const source = new LineSource(dataset);
  try {
    const { clock } = dataset.files;
    if (clock) yield* timedBatches(source, clock);
    yield* untimedBatches(source);
  } finally {
    await source.close();
  }
}

async function* timedBatches(source: LineSource, clock: string): AsyncGenerator<MessageBatch> {
  let batch = emptyBatch();
  for await (const row of readClock(clock)) {
    const at = parseMicros(row.emitted_at);
    for (const stream of STREAMS) await source.moveTo(batch, stream, row[stream], at);
    if (batch.browser.values.length < LINES_PER_BATCH) continue;
    yield batch;
    batch = emptyBatch();
  }
  if (messagesIn(batch) > 0) yield batch;
}

async function* untimedBatches(source: LineSource): AsyncGenerator<MessageBatch> {
  for (;;) {
    const batch = emptyBatch();
    for (const stream of STREAMS) await source.moveTo(batch, stream, LINES_PER_BATCH, null);
    if (messagesIn(batch) === 0) return;
    yield batch;
  }
}

/** Number of page events to remember until the location line with the same id is read. */
const WINDOW = 50_000;

/** Reader of lines with keys. Remembers sessions, because location lines have only an event_id. */
class LineSource {
  readonly #cursors: Readonly<Record<StreamName, LineCursor>>;
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  constructor({ files }: Dataset) {
    this.#cursors = {
      browser: new LineCursor(files.browser),
      location: new LineCursor(files.location),
      device: new LineCursor(files.device),
      geo: new LineCursor(files.geo),
    };
  }

  async close(): Promise<void> {
    for (const stream of STREAMS) await this.#cursors[stream].close();
  }

  async moveTo(
    batch: MessageBatch,
    stream: StreamName,
    count: number,
    at: Micros | null,
  ): Promise<void> {
    const { keys, values, emittedAt } = batch[stream];
    for (const line of await this.#cursors[stream].take(count)) {
      keys.push(stream === "location" ? this.#remembered(line) : this.#own(stream, line));
      values.push(line);
      emittedAt.push(at);
    }
  }

  #own(stream: StreamName, line: string): string | null {
    const clickId = clickIdOf(line);
    const eventId = stream === "browser" ? eventIdOf(line) : null;
    if (clickId !== null && eventId !== null) this.#remember(eventId, clickId);
    return clickId;
  }

  #remembered(line: string): string | null {
    const eventId = eventIdOf(line);
    if (eventId === null) return null;
    return this.#young.get(eventId) ?? this.#old.get(eventId) ?? null;
  }

  /** Remembers a session in the younger of two generations; the older is dropped as a whole. */
  #remember(eventId: string, clickId: string): void {
    this.#young.set(eventId, clickId);
    if (this.#young.size < WINDOW) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}

/** Yields the rows of a clock file. @throws UserError for an invalid row */
async function* readClock(file: string): AsyncGenerator<ClockRow> {
  let line = 0;
  for await (const lines of readLines(file)) {
    for (const text of lines) {
      line += 1;
      yield parseRow(text, `${basename(file)}:${line}`);
    }
  }
}

function parseRow(text: string, where: string): ClockRow {
  try {
    return clockRowSchema.parse(JSON.parse(text));
  } catch {
    throw new UserError(
      `${where} is not a clock row: ${text.slice(0, 80)}`,
      "restore the file, or remove it to load the dataset without emission times",
    );
  }
}

/** Patterns of ids, which are faster than parsing and also match truncated messages. */
const CLICK_ID = /"click_id"\s*:\s*"([^"\\]+)"/;
const EVENT_ID = /"event_id"\s*:\s*"([^"\\]+)"/;

export const clickIdOf = (line: string): string | null => CLICK_ID.exec(line)?.[1] ?? null;
export const eventIdOf = (line: string): string | null => EVENT_ID.exec(line)?.[1] ?? null;

/** Reads the state; null if absent. @throws UserError if unreadable or made with other donors */
export async function readDatasetState(
  { files }: Dataset,
  donors: DonorPool,
): Promise<StateV3 | null> {
  if (!files.state) return null;
  const parts: string[] = [];
  for await (const lines of readLines(files.state)) parts.push(...lines);
  return parseState(parts.join("\n"), donors);
}
