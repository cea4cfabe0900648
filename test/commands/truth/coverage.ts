import { runBackfill } from "../../../generator/backfill.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import { demoConfig } from "../../../warehouse/demo/config.ts";
import { type Comparison, compareTruth } from "../../../warehouse/history/truth.ts";
import { StgPublisher } from "../../../warehouse/loader/stg-publisher.ts";
import { currentEpoch } from "../../../warehouse/sources/epoch.ts";
import { finishedHistory } from "../../../warehouse/sources/source.ts";
import { storeSource } from "../../../warehouse/sources/stored.ts";
import { clearAll, type TestEngine } from "../../support/engine.ts";
import { load } from "../../support/pipeline.ts";

/** Writes a history of shop, loads it through all layers, and compares it with its truth. */
export async function compareHistory(
  { db }: Pick<TestEngine, "db">,
  seed: string,
  days: number,
): Promise<Comparison[]> {
  await clearAll(db);
  const config = demoConfig({ seed, days, rate: 30, behaviour: "shop" });
  const publisher = await StgPublisher.open(db);
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { manifest } = await runBackfill(config, donors, publisher);
  await publisher.close();
  await storeSource(db, await currentEpoch(db), finishedHistory("demo", manifest));
  await load(db, "full");
  return compareTruth(db);
}

export interface Coverage {
  readonly intervals: number;
  readonly inside: number;
  readonly share: number;
  /** Standard deviation of one history's share, measured between histories. */
  readonly deviation: number;
  /** Number of histories with the truth inside, by effect. */
  readonly byEffect: ReadonlyMap<string, { readonly inside: number; readonly of: number }>;
}

export function coverageOf(histories: readonly (readonly Comparison[])[]): Coverage {
  const shares = histories.map((one) => insideOf(one) / one.length);
  const all = histories.flat();
  const byEffect = Map.groupBy(all, ({ effect, segment }) => `${effect}: ${segment}`);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  return {
    intervals: all.length,
    inside: insideOf(all),
    share: insideOf(all) / all.length,
    deviation: Math.sqrt(squares / (shares.length - 1)),
    byEffect: new Map(
      [...byEffect].map(([name, rows]) => [name, { inside: insideOf(rows), of: rows.length }]),
    ),
  };
}

/** Smallest number inside that 95 % intervals fall below once in 3,000 times. */
export function leastInside(of: number): number {
  let [misses, probability] = [0, 0.95 ** of];
  let above = probability;
  while (1 - above > 1 / 3000) {
    misses += 1;
    probability *= (((of - misses + 1) / misses) * 0.05) / 0.95;
    above += probability;
  }
  return of - misses;
}

/** Effects whose interval misses the truth more often than chance explains. */
export const wrongEffects = ({ byEffect }: Coverage): string[] =>
  [...byEffect]
    .filter(([, { inside, of }]) => inside < leastInside(of))
    .map(([name, { inside, of }]) => `${name}: ${inside} of ${of}`);

const insideOf = (rows: readonly Comparison[]): number =>
  rows.filter(({ verdict }) => verdict === "inside").length;
