import { z } from "zod";
import { type StreamCounts, zeroCounts } from "../contract/defects.ts";
import { payloadSumsSchema } from "../contract/manifest.ts";
import type { MessageBatch, StreamBatch } from "../contract/ports.ts";
import { statementSchema } from "../contract/statement.ts";
import { byStream, STREAMS, type StreamName } from "../contract/streams.ts";
import { DAY, dateOf, type Micros } from "../contract/time.ts";
import { sha256 } from "./canonical.ts";
import { addToSum, formatSum, hashPayloads } from "./payload-hash.ts";

const digest = z.string().regex(/^[0-9a-f]{64}$/);

export const generatorCountersSchema = statementSchema.extend({
  digests: z.strictObject(byStream(() => digest)),
  sums: payloadSumsSchema,
});
type GeneratorCountersState = z.infer<typeof generatorCountersSchema>;

const EMPTY_DIGEST = sha256("");
const EMPTY_SUM = formatSum(0n);

export const emptyCounters = (): GeneratorCountersState => ({
  counts: zeroCounts(),
  days: {},
  digests: byStream(() => EMPTY_DIGEST),
  sums: byStream(() => EMPTY_SUM),
});

/** Counts and digests of sent messages. Digests are chained: sha256(previous + sha256(lines)). */
export class GeneratorCounters {
  readonly #state: GeneratorCountersState;

  constructor(state: GeneratorCountersState = emptyCounters()) {
    this.#state = structuredClone(state);
  }

  add(batch: MessageBatch): void {
    for (const stream of STREAMS) {
      const part = batch[stream];
      if (part.values.length === 0) continue;
      const { counts, digests, sums } = this.#state;
      const { digest, sum } = hashPayloads(part.values);
      counts[stream] += part.values.length;
      digests[stream] = sha256(digests[stream] + digest);
      sums[stream] = addToSum(sums[stream], sum);
      this.#addDays(stream, part);
    }
  }

  snapshot(): GeneratorCountersState {
    return structuredClone(this.#state);
  }

  /** Counts lines per day; batches are ordered by emission, so each day is one range. */
  #addDays(stream: StreamName, { emittedAt }: StreamBatch): void {
    for (let from = 0; from < emittedAt.length; ) {
      const at = emittedAt[from] ?? null;
      const to = at === null ? from + 1 : endOfDay(emittedAt, from, at);
      if (at !== null) this.#day(at)[stream] += to - from;
      from = to;
    }
  }

  #day(at: Micros): StreamCounts {
    const date = dateOf(at);
    const counts = this.#state.days[date] ?? zeroCounts();
    this.#state.days[date] = counts;
    return counts;
  }
}

function endOfDay(emittedAt: readonly (Micros | null)[], from: number, at: Micros): number {
  const midnight = (Math.floor(at / DAY) + 1) * DAY;
  const last = emittedAt.at(-1) ?? null;
  if (last !== null && last < midnight) return emittedAt.length;
  let to = from;
  while (to < emittedAt.length && (emittedAt[to] ?? midnight) < midnight) to += 1;
  return to;
}
