/** Marks answers. docs/how-to/use-it-in-a-course.md explains the verdicts. */
import type { ReadableDatabase } from "../contract/ports.ts";
import { findTruth } from "../warehouse/truth/compare.ts";
import { type Answer, requireColumns, tableOf } from "./answer.ts";
import type { Lab } from "./lab.ts";
import { differenceOf, readTable, type Table } from "./table.ts";

type Verdict = "right" | "wrong" | "right for the wrong reason";

export interface Judgement {
  readonly verdict: Verdict;
  /** Reasons, in sentences. */
  readonly reasons: readonly string[];
}

/** What one data set shows about an answer. */
export interface Mark {
  /** How the answer differs from what is expected; undefined if it fits. */
  readonly difference: string | undefined;
  /** Why the trap is wrong whose result the answer equals. */
  readonly trap: string | undefined;
}

export const isRight = ({ difference, trap }: Mark): boolean =>
  difference === undefined && trap === undefined;

/** Marks an answer on one data set. @throws UncheckedError for an unusable answer */
export async function markOn(db: ReadableDatabase, lab: Lab, answer: Answer): Promise<Mark> {
  const given = await tableOf(db, lab, answer);
  const solution = await resultOf(db, lab, lab.solution);
  return {
    difference: await missOf(db, lab, given, solution),
    trap: await trapOf(db, lab, given),
  };
}

/** Returns how an answer differs from what is expected. */
async function missOf(db: ReadableDatabase, { answer }: Lab, given: Table, solution: Table) {
  if (answer.kind === "interval") return intervalMissOf(db, answer.truth, given, solution);
  const difference = differenceOf(given, solution, answer.decimals);
  return answer.kind === "number" && difference !== undefined ? "the number differs" : difference;
}

const resultOf = async (db: ReadableDatabase, lab: Lab, sql: string): Promise<Table> =>
  requireColumns(lab, lab.name, await readTable(db, sql));

/** Returns why the first trap with the result `given` is wrong. */
async function trapOf(db: ReadableDatabase, lab: Lab, given: Table): Promise<string | undefined> {
  for (const { sql, why } of lab.traps) {
    const result = await resultOf(db, lab, sql);
    if (differenceOf(given, result, lab.answer.decimals) === undefined) return why;
  }
  return undefined;
}

/** An interval that differs more in width from the solution's claims too much or too little. */
const WIDTHS = { from: 0.8, to: 1.25 } as const;

type Interval = Extract<Lab["answer"], { kind: "interval" }>;

/** Returns why an interval is wrong; undefined if it has the right width and contains the truth. */
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
  const share = (high - low) / widthOf(solution);
  if (share < WIDTHS.from) return "the interval is narrower than these data allow";
  if (share > WIDTHS.to) return "the interval is wider than necessary";
  const truth = await truthOf(db, wanted);
  if (low <= truth && truth <= high) return undefined;
  return `the interval does not contain the truth, ${truth.toFixed(4)}`;
}

const widthOf = ({ rows: [row] }: Table): number => Number(row?.[1]) - Number(row?.[0]);

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
    return { verdict: "wrong", reasons: [`Result: ${own.difference}.`, ...reasonOf(own)] };
  }
  if (own.trap !== undefined) {
    const reason = "The result fits, but another calculation gives the same, which is wrong:";
    return { verdict: "right for the wrong reason", reasons: [reason, own.trap] };
  }
  if (other === undefined || isRight(other)) return { verdict: "right", reasons: [] };
  const result = other.difference === undefined ? "" : `: ${other.difference}`;
  const reason = `The result fits these data, but the same statement is wrong on data of another seed${result}.`;
  return { verdict: "right for the wrong reason", reasons: [reason, ...reasonOf(other)] };
}

const reasonOf = ({ trap }: Mark): string[] => (trap === undefined ? [] : [trap]);
