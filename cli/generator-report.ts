import { UserError } from "../contract/errors.ts";
import type { Manifest } from "../contract/manifest.ts";
import type { Ledger } from "../warehouse/reconciliation/ledger.ts";
import { renderLedger } from "../warehouse/reconciliation/render.ts";
import { type DatabaseOption, printJson, withDatabase } from "./options.ts";
import { proveWith, requireNothingLost } from "./prove.ts";

/** Reports text to stderr and JSON to stdout. @throws UserError when a message is missing */
export async function reportHistory(
  manifest: Manifest,
  options: DatabaseOption & { readonly json?: true },
): Promise<void> {
  const ledger = await withDatabase(options, (db) =>
    proveWith(db, process.env.KAFKA_BOOTSTRAP_SERVERS),
  );
  process.stderr.write(`${wordsOf(manifest, ledger)}\n`);
  if (options.json) printJson({ manifest, ledger });
  requireSameHistory(manifest, ledger);
  requireNothingLost(ledger);
}

const wordsOf = ({ checksum, t0, t_end, seed, counts }: Manifest, ledger: Ledger): string =>
  [
    `manifest: checksum ${checksum}`,
    `manifest: [${t0}, ${t_end}) with seed ${seed}, messages ${JSON.stringify(counts)}`,
    renderLedger(ledger),
    `ledger: ${ledger.unaccounted} messages unaccounted for`,
  ].join("\n");

/** Compares checksums; with several publishers, the ledger has no single checksum to compare. */
function requireSameHistory({ checksum }: Manifest, ledger: Ledger): void {
  if (ledger.checksum === null || ledger.checksum === checksum) return;
  throw new UserError(
    `The history changed during the report: the manifest has checksum ${checksum}, the ledger ${ledger.checksum}`,
    "run pipeline generator report again",
  );
}
