import { UserError } from "../contract/errors.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../warehouse/reconciliation/render.ts";
import { type DatabaseOption, printJson, withDatabase } from "./options.ts";
import { proveWith, requireNothingLost } from "./prove.ts";

/** Reports text to stderr and JSON to stdout. @throws UserError when a message is missing */
export async function reportHistory(
  manifest: Manifest,
  options: DatabaseOption & { readonly json?: true },
): Promise<void> {
  const reconciliation = await withDatabase(options, (db) =>
    proveWith(db, process.env.KAFKA_BOOTSTRAP_SERVERS),
  );
  process.stderr.write(`${wordsOf(manifest, reconciliation)}\n`);
  if (options.json) printJson({ manifest, reconciliation });
  requireSameHistory(manifest, reconciliation);
  requireNothingLost(reconciliation);
}

const wordsOf = (
  { checksum, t0, t_end, seed, counts }: Manifest,
  reconciliation: Reconciliation,
): string =>
  [
    `manifest: checksum ${checksum}`,
    `manifest: [${t0}, ${t_end}) with seed ${seed}, messages ${JSON.stringify(counts)}`,
    renderReconciliation(reconciliation),
    `reconciliation: ${reconciliation.unaccounted} messages unaccounted for`,
  ].join("\n");

/** Compares checksums; with several publishers, the reconciliation has no single checksum to compare. */
function requireSameHistory({ checksum }: Manifest, reconciliation: Reconciliation): void {
  if (reconciliation.checksum === null || reconciliation.checksum === checksum) return;
  throw new UserError(
    `The history changed during the report: the manifest has checksum ${checksum}, the reconciliation ${reconciliation.checksum}`,
    "run pipeline generator report again",
  );
}
