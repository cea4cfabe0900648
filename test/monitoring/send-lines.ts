import { setTimeout as sleep } from "node:timers/promises";
import type { TestStatsd } from "./environment.ts";

/** Lines per burst and milliseconds between bursts, because a full socket buffer drops lines. */
const BURST = { lines: 20, pauseMs: 5 };

/** Sends many lines so that the exporter receives them all. */
export async function sendLines(statsd: TestStatsd, lines: readonly string[]): Promise<void> {
  for (let at = 0; at < lines.length; at += BURST.lines) {
    for (const line of lines.slice(at, at + BURST.lines)) await statsd.send(line);
    await sleep(BURST.pauseMs);
  }
}
