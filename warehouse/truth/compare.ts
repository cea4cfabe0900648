import { UserError } from "../../contract/errors.ts";
import type { Manifest } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import {
  type Effect,
  LONG_STAY_SECONDS,
  MEASURES,
  type Truth,
  type Window,
} from "../../contract/truth.ts";
import { hintToRun } from "../database/command.ts";
import { currentEpoch, noDataError } from "../ledger/feed.ts";
import { readSources, type Source } from "../ledger/source.ts";
import { readQuery } from "../sql.ts";
import { type Count, type Interval, newcombe, wilson } from "./interval.ts";

/** An effect beside its estimate from the marts. */
export interface Comparison extends Interval {
  readonly effect: string;
  readonly segment: string;
  readonly truth: number;
  readonly verdict: "inside" | "outside";
  /** Number of sessions; of a difference, those of both segments. */
  readonly of: number;
}

const MINUS = " − ";

/** True for the difference of two segments. */
export const isDifference = ({ segment }: Comparison): boolean => segment.includes(MINUS);

type Key = Pick<Effect, "sessions" | "measure" | "dimension" | "segment">;
type Outcome = Key & Count;

/**
 * Compares the published effects with the marts.
 * @param newer sources that the broker has and the database has not stored
 * @throws UserError without a published truth
 */
export async function compareTruth(
  db: Database,
  newer: readonly Source[] = [],
): Promise<Comparison[]> {
  const { truth, t0 } = await findTruth(db, newer);
  const comparisons = await compareEffects(db, truth, t0);
  if (comparisons.length === 0) {
    throw new UserError("The marts have no session of the history", hintToRun(db, "transform"));
  }
  return comparisons;
}

/**
 * Compares the effects of the history that begins at `t0` with the marts.
 * @returns no row for an effect whose segment has no session
 */
export async function compareEffects(
  db: Database,
  truth: Truth,
  t0: string,
): Promise<Comparison[]> {
  const whole = { from: t0, until: truth.sessions_until };
  const comparisons: Comparison[] = [];
  for (const [when, effects] of Map.groupBy(truth.effects, ({ window }) => nameOfWindow(window))) {
    const counts = await countsOf(db, whole, effects[0]?.window ?? whole);
    comparisons.push(...effects.flatMap((effect) => compare(effect, counts, when)));
  }
  return comparisons;
}

const nameOfWindow = (window: Window | undefined): string =>
  window === undefined ? "" : ` from ${minuteOf(window.from)} until ${minuteOf(window.until)}`;
const minuteOf = (instant: string): string => clickHouseTime(instant).slice(0, 16);

async function countsOf(
  db: Database,
  whole: Window,
  window: Window,
): Promise<ReadonlyMap<string, Count>> {
  const rows = await db.rows<Outcome>(readQuery("truth/outcomes.sql"), {
    from: clickHouseTime(whole.from),
    until: clickHouseTime(whole.until),
    window_from: clickHouseTime(window.from),
    window_until: clickHouseTime(window.until),
    long_stay: LONG_STAY_SECONDS,
  });
  return new Map(rows.map((row) => [keyOf(row), row]));
}

const clickHouseTime = (instant: string): string => instant.replace("T", " ").replace("Z", "");

const keyOf = ({ sessions, measure, dimension, segment }: Key): string =>
  [sessions, measure, dimension, segment].join("\n");

function compare(effect: Effect, counts: ReadonlyMap<string, Count>, when: string): Comparison[] {
  const { truth, segment, minus } = effect;
  const count = counts.get(keyOf(effect));
  const other = minus === undefined ? count : counts.get(keyOf({ ...effect, segment: minus }));
  if (count === undefined || other === undefined) return [];
  const interval = minus === undefined ? wilson(count) : newcombe(count, other);
  const isInside = interval.low <= truth && truth <= interval.high;
  return [
    {
      effect: `${nameOf(effect)}${when}`,
      segment: minus === undefined ? segment : `${segment}${MINUS}${minus}`,
      truth,
      ...interval,
      verdict: isInside ? "inside" : "outside",
      of: minus === undefined ? count.of : count.of + other.of,
    },
  ];
}

/** Returns a name such as `first sessions with a purchase, by device`. */
export function nameOf({
  sessions,
  measure,
  dimension,
}: Pick<Effect, "sessions" | "measure" | "dimension">): string {
  const { of, hit } = MEASURES[measure];
  const by = dimension === "all" ? "" : `, by ${dimension.replace("_", " ")}`;
  return `${sessions} ${of} ${hit}${by}`;
}

/** Returns the manifest of the only history. @throws UserError without a published truth */
export async function findTruth(
  db: Database,
  newer: readonly Source[] = [],
): Promise<Manifest & { readonly truth: Truth }> {
  const epoch = await currentEpoch(db, hintToWrite(db, db.directory));
  const sources = await readSources(db, epoch, newer);
  if (sources.length === 0 && !(await holdsMessages(db))) {
    throw noDataError(db, hintToWrite(db, db.directory));
  }
  if (sources.length > 1) {
    const names = sources.map(({ name }) => name).join(", ");
    throw unknownTruth(db, `it has ${sources.length} sources (${names})`);
  }
  const manifest = sources[0]?.manifest;
  if (manifest === undefined) throw unknownTruth(db, "no finished history describes it");
  if (manifest.truth === undefined) throw unknownTruth(db, "GEN_BEHAVIOUR was not shop");
  return { ...manifest, truth: manifest.truth };
}

async function holdsMessages(db: Database): Promise<boolean> {
  const [row] = await db.rows<{ messages: number }>(
    "SELECT (SELECT count() FROM stg.browser_raw) + (SELECT count() FROM dds.event) AS messages",
  );
  return row !== undefined && row.messages > 0;
}

const unknownTruth = (db: Database, reason: string): UserError =>
  new UserError(
    `What is true about the data is unknown, because ${reason}`,
    hintToWrite(db, `${db.directory}-shop`),
  );

/** Names the command that writes a history with a truth. */
const hintToWrite = (db: Database, directory = ""): string =>
  db.directory === undefined
    ? "set GEN_BEHAVIOUR=shop for the generator, then run `pipeline generator clean-start --yes`"
    : `run \`pipeline demo --database ${directory}\``;
