import { afterAll, beforeAll, expect, test } from "vitest";
import { useTestEngine } from "../../support/use-engine.ts";
import { buildBase, keep, restore } from "./base.ts";
import { checkBoth, missedBy } from "./check.ts";
import { changedValues, deletedRows, doubledRows, movedRows, otherLoads } from "./rows.ts";
import type { Sabotage } from "./sabotage.ts";
import { sampled } from "./sample.ts";
import { Score } from "./score.ts";
import {
  changedChecks,
  changedCommits,
  emptiedTables,
  movedWatermarks,
  skippedPartitions,
  unknownEpochs,
  untypedBatches,
} from "./tables.ts";

/** Seed that chooses the rows. */
const SEED = process.env.SAMPLE_SEED ?? "1";

const all: readonly Sabotage[] = [
  ...deletedRows(SEED),
  ...doubledRows(SEED),
  ...movedRows(SEED),
  ...changedValues(SEED),
  ...otherLoads(SEED),
  ...emptiedTables(),
  ...changedCommits(),
  ...changedChecks(),
  ...skippedPartitions(),
  ...movedWatermarks(),
  ...untypedBatches(),
  ...unknownEpochs(),
];
const SABOTAGES = sampled(all);

const engine = useTestEngine();
beforeAll(async () => {
  await buildBase(engine.db);
  await keep(engine.db);
});
const score = new Score();
afterAll(async () => {
  console.log(score.render());
});

test("the warehouse to damage is complete", async () => {
  const { reconciliation, result } = await checkBoth(engine.db);
  expect(reconciliation.verdict).toBe("accounted");
  expect(result).toMatchObject({ layers: [], rows: [], unchecked: [] });
});

test.each(SABOTAGES.map((sabotage) => [`${sabotage.kind}: ${sabotage.name}`, sabotage] as const))(
  "%s",
  async (_, sabotage) => {
    const { db } = engine;
    await sabotage.run(db);
    try {
      const verdicts = await checkBoth(db);
      const missed = missedBy(sabotage, verdicts);
      const { prove, deep, reconciliation } = verdicts;
      score.add(sabotage, missed.length === 0);
      expect({ missed, verdict: reconciliation.verdict, prove, deep }).toMatchObject({
        missed: [],
      });
    } finally {
      await restore(db, sabotage.touches);
    }
  },
);
