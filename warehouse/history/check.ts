import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { parseConfig } from "../../generator/config.ts";
import { repeatAfterBatch } from "../reconciliation/concurrent-loads.ts";
import { readExpiry } from "../reconciliation/expiry.ts";
import { currentEpoch } from "../sources/epoch.ts";
import type { Source } from "../sources/source.ts";
import { DamagedSource, readSources } from "../sources/stored.ts";
import { contextOf } from "./checks/context.ts";
import { checkCounts } from "./checks/counts.ts";
import { checkDigests } from "./checks/digests.ts";
import { checkHandover } from "./checks/handover.ts";
import { checkInterval } from "./checks/interval.ts";
import { checkManifest, isGenerated } from "./checks/manifest.ts";
import { type CheckResult, skipped, verdict } from "./checks/result.ts";
import { checkSanity } from "./checks/sanity.ts";
import { constantModel, modelOf } from "./model.ts";

export interface HistoryCheckOptions {
  readonly liveHandover: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Sources that the broker has and the database has not stored. */
  readonly newer?: readonly Source[];
  readonly onResult?: (result: CheckResult) => void;
}

/** Checks the history; repeats what a running load may have made fail. @throws UserError when stg is empty */
export async function checkHistory(
  db: Database,
  { liveHandover, env, newer = [], onResult }: HistoryCheckOptions,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const note = (more: readonly CheckResult[]) => {
    for (const result of more) {
      results.push(result);
      onResult?.(result);
    }
  };
  const epoch = await currentEpoch(db);
  const sources = await readSources(db, epoch, newer).catch(damageOf);
  if ("status" in sources) {
    note([sources]);
    return results;
  }
  const { result, manifest } = checkManifest(db, sources);
  note([result]);
  if (!manifest) return results;
  if (await readExpiry(db)) {
    note([skipped("history", "not checked: messages of the history have expired")]);
    return results;
  }
  const model = modelOf(sources.find((source) => source.manifest !== undefined)) ?? DEFAULT_MODEL;
  const context = contextOf({ db, epoch, manifest, model, liveHandover });
  const settled = <T>(check: () => Promise<T>, resultsOf: (found: T) => readonly CheckResult[]) =>
    repeatAfterBatch(db, check, (found) => resultsOf(found).some(isFailed));
  note(await settled(() => checkInterval(context), identity));
  const counts = await settled(
    () => checkCounts(context),
    ({ results }) => results,
  );
  note(counts.results);
  note(await settled(() => checkDigests(context, counts.expired), identity));
  note(await settled(() => checkSanity(context), identity));
  if (!liveHandover) return results;
  const isDue = env.CHECK_LIVE_SEAM === "1" || isGenerated(sources);
  note(isDue ? await checkHandover(context) : [NO_GENERATOR]);
  return results;
}

/** Returns a damaged record as a failed check. @throws any other error */
function damageOf(error: unknown): CheckResult {
  if (!(error instanceof DamagedSource)) throw error;
  const { message, hint } = error;
  return { ...verdict("manifest", false, message), ...(hint && { hint }) };
}

const isFailed = ({ status }: CheckResult): boolean => status === "failed";
const identity = <T>(value: T): T => value;

const DEFAULT_MODEL = constantModel(
  parseConfig({}),
  "The settings of these data are unknown, so the model has the default settings.",
);

const NO_GENERATOR = skipped("live handover", "not checked: no generator");

/** Reads CHECK_LIVE_SEAM; default yes. @throws UserError for anything but 0 and 1 */
export function readLiveHandover(value: string | undefined): boolean {
  if (value === undefined || value === "1") return true;
  if (value === "0") return false;
  throw new UserError(
    `CHECK_LIVE_SEAM=${value} is not valid. Allowed: 1 (live generation continues from T_end, the default) or 0 (backfill-only and import-only)`,
    "run CHECK_LIVE_SEAM=0 make generated-history-check",
  );
}
