import type { MessageBatch, StreamBatch } from "../../contract/ports.ts";
import type { Micros } from "../../contract/time.ts";

/** Model time of message 0: 2026-01-01 00:00:00 UTC. */
const START: Micros = 1_767_225_600_000_000;

/** Messages `{"n":from}` to `{"n":from+count-1}` in every stream, with few keys, one µs apart. */
export function numbered(from: number, count: number): MessageBatch {
  const stream = (): StreamBatch => {
    const numbers = Array.from({ length: count }, (_, index) => from + index);
    return {
      keys: numbers.map((n) => `click-${n % 97}`),
      values: numbers.map((n) => `{"n":${n}}`),
      emittedAt: numbers.map((n) => START + n),
    };
  };
  return { browser: stream(), location: stream(), device: stream(), geo: stream() };
}
