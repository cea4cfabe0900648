import { emptyBatch, type MessageBatch } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { type Micros, parseMicros } from "../../contract/time.ts";
import { readClock } from "./clock.ts";
import type { Dataset } from "./format.ts";
import { clickIdOf, eventIdOf } from "./ids.ts";
import { LineCursor } from "./lines.ts";

const LINES_PER_BATCH = 5000;

/** Whether the batch ends before the minute that starts at `next`. */
type EndsBefore = (batch: MessageBatch, next: Micros) => boolean;

export interface ReadOptions {
  /** Where batches end; by default after 5000 browser lines. Needs a clock. */
  readonly endsBefore?: EndsBefore;
}

/**
 * The messages of a data set in order of emission. Keys are read from the payloads (null where
 * that fails), `emittedAt` is the minute of emission where the data set has a clock, else null.
 */
export async function* readBatches(
  dataset: Dataset,
  options: ReadOptions = {},
): AsyncGenerator<MessageBatch> {
  const endsBefore = options.endsBefore ?? isFull;
  const cursors = openCursors(dataset);
  const keys = new KeyReader();
  try {
    let batch = emptyBatch();
    if (dataset.files.clock) {
      for await (const row of readClock(dataset.files.clock)) {
        const at = parseMicros(row.emitted_at);
        if (endsBefore(batch, at)) {
          yield batch;
          batch = emptyBatch();
        }
        for (const stream of STREAMS) {
          keys.append(batch, stream, await cursors[stream].take(row[stream]), at);
        }
      }
    }
    // Without a clock these are all lines; with one, those it does not know of.
    for (let size = 1; size > 0; batch = emptyBatch()) {
      for (const stream of STREAMS) {
        keys.append(batch, stream, await cursors[stream].take(LINES_PER_BATCH), null);
      }
      size = linesOf(batch);
      if (size > 0) yield batch;
    }
  } finally {
    for (const stream of STREAMS) await cursors[stream].close();
  }
}

const isFull: EndsBefore = (batch) => batch.browser.values.length >= LINES_PER_BATCH;

export const linesOf = (batch: MessageBatch): number =>
  STREAMS.reduce((sum, stream) => sum + batch[stream].values.length, 0);

const openCursors = ({ files }: Dataset): Record<StreamName, LineCursor> => ({
  browser: new LineCursor(files.browser),
  location: new LineCursor(files.location),
  device: new LineCursor(files.device),
  geo: new LineCursor(files.geo),
});

/** Browser events remembered for their locations, which stand at about the same place. */
const WINDOW = 50_000;

/** Finds the click_id of every line. Location lines carry only the event_id. */
class KeyReader {
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  append(batch: MessageBatch, stream: StreamName, lines: string[], at: Micros | null): void {
    const { keys, values, emittedAt } = batch[stream];
    for (const line of lines) {
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

  /** Two generations: dropping the older one whole keeps memory bounded at no cost per line. */
  #remember(eventId: string, clickId: string): void {
    this.#young.set(eventId, clickId);
    if (this.#young.size < WINDOW) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
