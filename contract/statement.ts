import { z } from "zod";
import { type StreamCounts, streamCountsSchema, zeroCounts } from "./defects.ts";
import type { MessageBatch } from "./ports.ts";
import { STREAMS } from "./streams.ts";
import { dateOf } from "./time.ts";

/** Counts that a source reports as sent; a part of the manifest. */
export const statementSchema = z.strictObject({
  counts: streamCountsSchema,
  /** Number of messages per model day (UTC date of emission), without those of unknown emission time. */
  days: z.record(z.iso.date(), streamCountsSchema),
});
export type Statement = z.infer<typeof statementSchema>;

export const emptyStatement = (): Statement => ({ counts: zeroCounts(), days: {} });

export const statementOf = ({ counts, days }: Statement): Statement => ({ counts, days });

export const totalOf = ({ counts }: Pick<Statement, "counts">): number =>
  STREAMS.reduce((total, stream) => total + counts[stream], 0);

/** Adds a batch to a statement in place. */
export function addBatch(statement: Statement, batch: MessageBatch): void {
  for (const stream of STREAMS) {
    const { values, emittedAt } = batch[stream];
    statement.counts[stream] += values.length;
    for (const at of emittedAt) {
      if (at === null) continue;
      const day = dateOf(at);
      statement.days[day] ??= zeroCounts();
      statement.days[day][stream] += 1;
    }
  }
}

export function addStatements(statements: readonly Statement[]): Statement {
  const sum = emptyStatement();
  for (const { counts, days } of statements) {
    addCounts(sum.counts, counts);
    for (const [day, dayCounts] of Object.entries(days)) {
      sum.days[day] ??= zeroCounts();
      addCounts(sum.days[day], dayCounts);
    }
  }
  return sum;
}

function addCounts(total: StreamCounts, more: StreamCounts): void {
  for (const stream of STREAMS) total[stream] += more[stream];
}
