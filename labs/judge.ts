/** Marks answers. docs/how-to/use-it-in-a-course.md explains the verdicts. */
import type { ReadableDatabase } from "../contract/ports.ts";
import { findTruth } from "../warehouse/history/truth.ts";
import { type Answer, requireColumns, tableOf } from "./answer.ts";
import type { Question } from "./lab.ts";
import { fromPercent, nearMissOf, PERCENT } from "./near-miss.ts";
import { differenceOf, readTable, type Table } from "./table.ts";

export interface Judgement {
  readonly verdict: "right" | "wrong" | "right for the wrong reason";
  /** Reasons, in sentences. */
  readonly reasons: readonly string[];
}

/** What one dataset shows about an answer. */
export interface Mark {
  /** How the answer differs from what is expected; undefined if it fits. */
  readonly difference: string | undefined;
  /** Why the traps are wrong whose result the answer equals. */
  readonly traps: readonly string[];
}

/** Marks an answer on one dataset. @throws UncheckedError for an unusable answer */
export async function markOn(db: ReadableDatabase, lab: Question, answer: Answer): Promise<Mark> {
  const given = await tableOf(db, lab, answer);
  const solution = await resultOf(db, lab, lab.solution);
  const difference = await missOf(db, lab, given, solution);
  const found: { why: string; result: Table }[] = [];
  for (const { sql, why } of lab.traps) found.push({ why, result: await resultOf(db, lab, sql) });
  const traps = found
    .filter(({ result }) => differenceOf(given, result, lab.answer) === undefined)
    .map(({ why }) => why);
  if (difference === undefined || traps.length > 0) return { difference, traps };
  return { difference, traps: await nearMissesOf(db, lab, given, solution, found) };
}

/** Returns how an answer differs from what is expected. */
async function missOf(db: ReadableDatabase, { answer }: Question, given: Table, solution: Table) {
  if (answer.kind === "interval") return intervalMissOf(db, answer.truth, given, solution);
  const difference = differenceOf(given, solution, answer);
  return answer.kind === "number" && difference !== undefined ? "the number differs" : difference;
}

const resultOf = async (db: ReadableDatabase, lab: Question, sql: string): Promise<Table> =>
  requireColumns(lab, lab.name, await readTable(db, sql));

/** Returns sentences about an answer that is the solution or a trap in another unit, or rounded. */
async function nearMissesOf(
  db: ReadableDatabase,
  { answer }: Question,
  given: Table,
  solution: Table,
  traps: readonly { readonly why: string; readonly result: Table }[],
): Promise<string[]> {
  if (answer.kind === "interval") {
    const miss = await intervalMissOf(db, answer.truth, fromPercent(given), solution);
    return miss === undefined ? [PERCENT] : [];
  }
  const near = nearMissOf(given, solution, answer);
  if (near !== undefined) return [near];
  return traps.flatMap(({ why, result }) => {
    const miss = nearMissOf(given, result, answer);
    return miss === undefined ? [] : [`${why} ${miss}`];
  });
}

/** Methods for 95 % agree within this share of the width; 90 % is narrower by 16 %, 98 % wider by 19 %. */
const TOLERANCE = 0.08;

type Interval = Extract<Question["answer"], { kind: "interval" }>;

/**
 * Returns why an interval is wrong; undefined if its width and middle are those of the data, and it
 * contains the truth.
 */
async function intervalMissOf(
  db: ReadableDatabase,
  wanted: Interval["truth"],
  given: Table,
  solution: Table,
): Promise<string | undefined> {
  const [low, high] = (given.rows[0] ?? []).map(Number);
  if (given.rows.length !== 1 || low === undefined || high === undefined || !(low <= high)) {
    return "the answer is not one row with low ≤ high";
  }
  const [from = 0, to = 0] = (solution.rows[0] ?? []).map(Number);
  const width = to - from;
  if (high - low < width * (1 - TOLERANCE)) return "the interval is narrower than these data allow";
  if (high - low > width * (1 + TOLERANCE)) return "the interval is wider than necessary";
  if (Math.abs(low + high - from - to) / 2 > width * TOLERANCE) {
    return "the middle of the interval is not what these data show";
  }
  const truth = await truthOf(db, wanted);
  // Of one history in twenty even the right interval misses the truth.
  if (low <= truth && truth <= high) return undefined;
  return from <= truth && truth <= to ? "the interval does not contain what is true" : undefined;
}

async function truthOf(db: ReadableDatabase, wanted: Interval["truth"]): Promise<number> {
  const { truth } = await findTruth(db);
  const found = truth.effects.find((effect) =>
    Object.entries(wanted).every(([name, value]) => effect[name as keyof typeof wanted] === value),
  );
  if (found === undefined) throw new Error(`No published effect is ${JSON.stringify(wanted)}`);
  return found.truth;
}

/** Combines the marks of the learner's data and of the other data, which only statements have. */
export function judge(own: Mark, other: Mark | undefined): Judgement {
  if (own.difference !== undefined) {
    return { verdict: "wrong", reasons: [`Result: ${own.difference}.`, ...own.traps.slice(0, 1)] };
  }
  if (other?.difference !== undefined) {
    const reason = `The result fits these data, but the same statement is wrong on data of another seed: ${other.difference}.`;
    return {
      verdict: "right for the wrong reason",
      reasons: [reason, ...other.traps.slice(0, 1)],
    };
  }
  const [trap] = own.traps.filter((why) => other === undefined || other.traps.includes(why));
  if (trap === undefined) return { verdict: "right", reasons: [] };
  const reason = "The result fits, but a wrong calculation gives the same:";
  return { verdict: "right for the wrong reason", reasons: [reason, trap] };
}
