import type { Database } from "../../contract/ports.ts";
import { currentEpoch } from "../ledger/prove.ts";
import { isGenerator, readSources } from "../ledger/source.ts";
import { contextOf } from "./checks/context.ts";
import { checkCounts } from "./checks/counts.ts";
import { checkDigests } from "./checks/digests.ts";
import { checkSeam } from "./checks/handover.ts";
import { checkInterval } from "./checks/interval.ts";
import { checkManifest } from "./checks/manifest.ts";
import { type CheckResult, skipped } from "./checks/result.ts";
import { checkSanity } from "./checks/sanity.ts";
import { modelOf } from "./model-config.ts";

export interface HistoryCheckOptions {
  readonly liveSeam: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onResult?: (result: CheckResult) => void;
}

/** An invalid manifest is the only result. @throws UserError when stg is empty or GEN_* invalid */
export async function checkHistory(
  db: Database,
  { liveSeam, env, onResult }: HistoryCheckOptions,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const note = (more: readonly CheckResult[]) => {
    for (const result of more) {
      results.push(result);
      onResult?.(result);
    }
  };
  const epoch = await currentEpoch(db);
  const { result, manifest } = await checkManifest(db, epoch);
  note([result]);
  if (!manifest) return results;
  const model = await modelOf(manifest, env);
  const context = contextOf({ db, epoch, manifest, model, liveSeam });
  note(await checkInterval(context));
  const counts = await checkCounts(context);
  note(counts.results);
  note(await checkDigests(context, counts.expired));
  note(await checkSanity(context));
  if (!liveSeam) return results;
  const isDue = env.CHECK_LIVE_SEAM === "1" || (await isGenerated(db, epoch));
  note(isDue ? await checkSeam(context) : [NO_GENERATOR]);
  return results;
}

/** The demo and a load never go live. */
async function isGenerated(db: Database, epoch: number): Promise<boolean> {
  const sources = await readSources(db, epoch);
  return sources.length === 0 || sources.some(isGenerator);
}

const NO_GENERATOR = skipped("live seam", "not checked: no generator");
