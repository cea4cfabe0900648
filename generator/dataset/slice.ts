import { type MessageBatch, messagesIn, type StreamBatch } from "../../contract/ports.ts";
import type { Dataset } from "./format.ts";
import { readLines } from "./lines.ts";
import { clickIdOf, eventIdOf, readBatches } from "./reader.ts";

interface Selection {
  readonly sessions: Set<string>;
  readonly events: Set<string>;
  /** Line numbers from 0. */
  readonly browserLines: Set<number>;
}

/** Yields the first `limit` browser rows, and all rows of the same sessions. */
export async function* sliceBatches(dataset: Dataset, limit: number): AsyncGenerator<MessageBatch> {
  const selection = await select(dataset, limit);
  let browserLine = 0;
  const isBrowserPicked = () => selection.browserLines.has(browserLine++);
  const isSessionPicked = (line: string) => selection.sessions.has(clickIdOf(line) ?? "");
  for await (const batch of readBatches(dataset)) {
    const part: MessageBatch = {
      browser: filter(batch.browser, isBrowserPicked),
      location: filter(batch.location, (line) => selection.events.has(eventIdOf(line) ?? "")),
      device: filter(batch.device, isSessionPicked),
      geo: filter(batch.geo, isSessionPicked),
    };
    if (messagesIn(part) > 0) yield part;
  }
}

async function select({ files }: Dataset, limit: number): Promise<Selection> {
  const selection: Selection = { sessions: new Set(), events: new Set(), browserLines: new Set() };
  let number = 0;
  let lastSession: string | null = null;
  for await (const lines of readLines(files.browser)) {
    for (const line of lines) {
      const clickId = clickIdOf(line);
      const isAmongFirst = number < limit;
      if (isAmongFirst) lastSession = clickId ?? lastSession;
      if (isAmongFirst || (clickId !== null && clickId === lastSession)) {
        selection.browserLines.add(number);
        if (clickId !== null) selection.sessions.add(clickId);
        const eventId = eventIdOf(line);
        if (eventId !== null) selection.events.add(eventId);
      }
      number += 1;
    }
  }
  return selection;
}

type LineTest = (line: string) => boolean;

function filter(part: StreamBatch, isPicked: LineTest): StreamBatch {
  const picked: StreamBatch = { keys: [], values: [], emittedAt: [] };
  part.values.forEach((line, index) => {
    if (!isPicked(line)) return;
    picked.values.push(line);
    picked.keys.push(part.keys[index] ?? null);
    picked.emittedAt.push(part.emittedAt[index] ?? null);
  });
  return picked;
}
