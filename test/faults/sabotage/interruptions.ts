import type { Database } from "../../../contract/ports.ts";
import type { Plan } from "../../../warehouse/batch/plan.ts";
import { transform } from "../../../warehouse/batch/transform.ts";
import type { Layer } from "../../../warehouse/reconciliation/reconciliation.ts";
import { CHANGED_ROWS } from "../../support/pipeline.ts";

class Cut extends Error {}

/** Files of the statements of an incremental load, in execution order. */
export async function statementsOf(db: Database): Promise<string[]> {
  const files: string[] = [];
  await transform(db, {
    fullRefresh: false,
    waitSeconds: 1,
    plan: CHANGED_ROWS,
    onStatement: (file) => files.push(file),
  });
  return files;
}

/** An incremental load that ends before its n-th statement, counted from 0. */
export async function cutOffBefore(db: Database, n: number): Promise<void> {
  let ran = 0;
  await cutOffWhere(db, () => ran++ === n);
}

/** An incremental load that ends before the first statement that matches. */
async function cutOffWhere(db: Database, isNext: (file: string) => boolean): Promise<void> {
  const onStatement = (file: string) => {
    if (isNext(file)) throw new Cut();
  };
  await transform(db, {
    fullRefresh: false,
    waitSeconds: 1,
    plan: CHANGED_ROWS,
    onStatement,
  }).catch((error: unknown) => {
    if (!(error instanceof Cut)) throw error;
  });
}

/** Runs the steps up to one of them, as a scheduler does. */
export async function runUpTo(db: Database, last: string): Promise<void> {
  const plan = CHANGED_ROWS;
  const end = plan.steps.findIndex(({ id }) => id === last) + 1;
  await runPlan(db, { ...plan, steps: plan.steps.slice(0, end) });
}

const runPlan = (db: Database, plan: Plan) =>
  transform(db, { fullRefresh: false, waitSeconds: 1, plan });

/** The lowest layer that lacks the new messages of the base, by the commits. */
export async function layerBehind(db: Database, loads: number): Promise<Layer> {
  type Commits = { loads: number; ods_load: number; dds_load: number };
  const [commits] = await db.rows<Commits>(
    `SELECT (SELECT count() FROM ods.load_commit) AS loads,
       (SELECT max(load_id) FROM ods.load_commit) AS ods_load,
       (SELECT max(load_id) FROM dds.load_commit) AS dds_load`,
  );
  if (!commits || commits.loads <= loads) return "ods";
  return commits.dds_load < commits.ods_load ? "dds" : "dm";
}
