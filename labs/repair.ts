import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { printLine } from "../terminal/print.ts";
import { transform } from "../warehouse/batch/transform.ts";
import { prove } from "../warehouse/reconciliation/prove.ts";
import type { DigestLine, Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import { requireComplete, requireNothingLost } from "../warehouse/reconciliation/requirements.ts";
import { findDifferingViews } from "../warehouse/schema/differences.ts";
import { createWith, FULL, historyOf, repairData, withData } from "./data.ts";
import type { Judgement } from "./judge.ts";
import type { Lab, Repair } from "./lab.ts";

/** Creates a copy of the data with the lab's damage. */
export async function prepareDamage(
  lab: Lab,
  { before_load, interrupted_before, after_load }: Repair,
  directory: string,
  command: string,
  seed: string | undefined,
): Promise<void> {
  const history = historyOf(lab, repairData(lab, directory), seed);
  await createWith(history, command, async (db) => {
    for (const statement of before_load) await db.run(statement);
    await transform(db, FULL);
    if (interrupted_before !== undefined) await interruptedTransform(db, interrupted_before);
    for (const statement of after_load) await db.run(statement);
  });
}

class Interruption extends Error {}

async function interruptedTransform(db: Database, before: string): Promise<void> {
  const onStatement = (file: string): void => {
    if (file === before) throw new Interruption();
  };
  await transform(db, { ...FULL, onStatement }).then(
    () => Promise.reject(new Error(`The plan does not run ${before}`)),
    (error: unknown) => {
      if (!(error instanceof Interruption)) throw error;
      printLine(`  interrupted before ${before}`);
    },
  );
}

/** Compares the damaged copy with its messages, with the undamaged data, and with sql/ddl. */
export async function judgeRepair(lab: Lab, directory: string): Promise<Judgement> {
  const { reconciliation, views } = await withData(repairData(lab, directory), async (db) => ({
    reconciliation: await prove(db),
    views: await findDifferingViews(db),
  }));
  const original = await withData(directory, (db) => prove(db));
  const problem =
    problemOf(reconciliation) ?? differenceOf(reconciliation.digests, original.digests);
  if (problem !== undefined) return { verdict: "wrong", reasons: [`Result: ${problem}.`] };
  const [view] = views;
  if (view === undefined) return { verdict: "right", reasons: [] };
  const reason = `The rows fit, but ${view.object} differs from sql/ddl (${view.what}), so the next load loses messages again.`;
  return { verdict: "right for the wrong reason", reasons: [reason] };
}

function problemOf(reconciliation: Reconciliation): string | undefined {
  try {
    requireNothingLost(reconciliation);
    requireComplete(reconciliation);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

function differenceOf(copy: readonly DigestLine[], original: readonly DigestLine[]) {
  const found = copy.find(({ name, digest }) =>
    original.some((line) => line.name === name && line.digest !== digest),
  );
  return found === undefined ? undefined : `${found.name} differs from that of the undamaged data`;
}
