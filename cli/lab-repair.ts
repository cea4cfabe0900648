import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import type { Mark } from "../labs/judge.ts";
import type { Lab } from "../labs/lab.ts";
import { transform } from "../warehouse/batch/transform.ts";
import type { DigestLine, Ledger } from "../warehouse/ledger/ledger.ts";
import { prove } from "../warehouse/ledger/prove.ts";
import { createWith, dataOf, FULL, historyOf, repairData, withData } from "./lab-data.ts";
import { printLine } from "./options.ts";
import { requireComplete, requireNothingLost } from "./prove.ts";

/** Creates a copy of the data, whose second full refresh ends before a statement. */
export async function prepareDamage(
  lab: Lab,
  directory: string,
  command: string,
  interruptedBefore: string,
): Promise<void> {
  const history = historyOf(lab, repairData(dataOf(lab, directory)));
  await createWith(history, command, async (db) => {
    await transform(db, FULL);
    await interruptedTransform(db, interruptedBefore);
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

/** Compares the damaged copy with its messages, and with the undamaged data. */
export async function markRepair(directory: string): Promise<Mark> {
  const copy = await withData(repairData(directory), (db) => prove(db));
  const original = await withData(directory, (db) => prove(db));
  return { difference: problemOf(copy) ?? differenceOf(copy.digests, original.digests), traps: [] };
}

function problemOf(ledger: Ledger): string | undefined {
  try {
    requireNothingLost(ledger);
    requireComplete(ledger);
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
