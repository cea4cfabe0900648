import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateMessages } from "../../support/messages.ts";
import { digestsOf, load } from "../../support/pipeline.ts";
import { IS_EXHAUSTIVE } from "../../support/sample.ts";
import { useTestEngine } from "../../support/use-engine.ts";
import { buildBase, byEmission, keep, publishInPartitions, restore, stateSent } from "./base.ts";
import { checkBoth } from "./check.ts";
import { cutOffBefore, layerBehind, runUpTo, statementsOf } from "./interruptions.ts";
import { Score } from "./score.ts";

/** Interval of the interrupted statements; EXHAUSTIVE=1 interrupts before each of them. */
const EVERY = IS_EXHAUSTIVE ? 1 : 12;

/** Milliseconds: all interruptions take a quarter of an hour on an idle machine. */
const LIMIT = 3_600_000;

/** Loads of the base. */
const LOADS = 3;

const engine = useTestEngine();
let files: string[];
let finished: unknown;
const score = new Score();
beforeAll(async () => {
  const { db } = engine;
  await buildBase(db);
  const { messages } = await generateMessages("third", 3);
  await publishInPartitions(db, byEmission(messages));
  await stateSent(db, "third", messages);
  await keep(db);
  files = await statementsOf(db);
  finished = await contentOf();
  await restore(db, "all");
});
afterAll(async () => {
  console.log(score.render());
});

/** Rows, and whether each table of dm has a commit for them. */
const contentOf = async () => ({
  digests: await digestsOf(engine.db),
  commits: await engine.db.rows(
    `SELECT target, max(load_id) = (SELECT max(load_id) FROM dds.load_commit) AS is_latest
     FROM dm_internal.load_commit GROUP BY target ORDER BY target`,
  ),
  summary: await engine.db.rows(
    "SELECT layer, entity, metric, value FROM dm.dq_summary ORDER BY ALL",
  ),
});

const isWhole = async (): Promise<boolean> =>
  JSON.stringify(await contentOf()) === JSON.stringify(finished);

/** An unfinished load is incomplete, and a finished one is accounted for. */
async function expectVerdict(kind: string): Promise<void> {
  const { reconciliation, prove, deep, result } = await checkBoth(engine.db);
  const isUnfinished = !(await isWhole());
  const expected = isUnfinished ? "incomplete" : "accounted";
  if (isUnfinished)
    score.add({ kind }, reconciliation.verdict === "incomplete" && deep.length === 0);
  expect({ verdict: reconciliation.verdict, deep, rows: result.rows }).toEqual({
    verdict: expected,
    deep: [],
    rows: [],
  });
  if (isUnfinished) expect(prove).toContain(await layerBehind(engine.db, LOADS));
}

describe("an interrupted load", () => {
  test(
    "before each statement is incomplete in its layer, and the next one completes it",
    async () => {
      const { db } = engine;
      for (let n = 0; n < files.length; n += EVERY) {
        await restore(db, "all");
        await cutOffBefore(db, n);
        await expectVerdict("run interrupted");
        await load(db, "incremental");
        expect(await isWhole(), `after a cut before ${files[n]}`).toBe(true);
        await expectVerdict("run interrupted");
      }
    },
    LIMIT,
  );
});

test.each([
  ["load_ods", "wait_for_stg_data"],
  ["load_dds", "load_ods"],
  ["check_dds_integrity", "load_dds"],
  ["load_dm_events", "assert_dds_integrity"],
  ["load_dm_sessions", "load_dm_events"],
  ["load_dm_visitors", "load_dm_sessions"],
  ["load_dm_summary", "load_dm_visitors"],
])("a run that skips %s and what follows is incomplete", async (_, last) => {
  await restore(engine.db, "all");
  await runUpTo(engine.db, last);
  await expectVerdict("step left out");
});
