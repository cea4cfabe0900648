import { quote } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import type { Manifest } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import type { Truth } from "../../contract/truth.ts";
import { hintToRun } from "../database/command.ts";
import { currentEpoch, noDataError } from "../sources/epoch.ts";
import type { Source } from "../sources/source.ts";
import { readSources } from "../sources/stored.ts";

/** An effect beside its estimate: a row of dm.truth. */
export interface Comparison {
  readonly effect: string;
  readonly segment: string;
  readonly truth: number;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Number of sessions; of a difference, those of both segments. */
  readonly sessions: number;
  readonly verdict: "inside" | "outside";
}

const MINUS = " − ";

/** True for the difference of two segments. */
export const isDifference = ({ segment }: Comparison): boolean => segment.includes(MINUS);

/** True for a mean of money, by the words of sql/etl/load_dm/truth.sql; others are shares. */
export const isMoney = ({ effect }: Comparison): boolean =>
  /sessions: (revenue|value) /.test(effect);

/** Returns the published effects beside their estimates, in the order of the manifest. */
export const readComparisons = (db: Database): Promise<Comparison[]> =>
  db.rows<Comparison>("SELECT * EXCEPT position FROM dm.truth ORDER BY position");

/**
 * Returns the published effects beside their estimates.
 * @param newer sources that the broker has and the database has not stored
 * @throws UserError without a published truth
 */
export async function compareTruth(
  db: Database,
  newer: readonly Source[] = [],
): Promise<Comparison[]> {
  await findTruth(db, newer);
  const comparisons = await readComparisons(db);
  if (comparisons.length === 0) {
    throw new UserError("The marts have no session of the history", hintToRun(db, "transform"));
  }
  return comparisons;
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
    "SELECT (SELECT count() FROM stg.raw) + (SELECT count() FROM dds.event) AS messages",
  );
  return row !== undefined && row.messages > 0;
}

const unknownTruth = (db: Database, reason: string): UserError =>
  new UserError(
    `The ground truth is unknown, because ${reason}`,
    hintToWrite(db, `${db.directory}-shop`),
  );

/** Names the command that writes a history with a truth. */
const hintToWrite = (db: Database, directory = ""): string =>
  db.directory === undefined
    ? "set GEN_BEHAVIOUR=shop for the generator, then run `pipeline generator clean-start --yes`"
    : `run \`pipeline demo --database ${quote(directory)}\``;
