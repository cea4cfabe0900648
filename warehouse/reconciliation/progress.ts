import type { Database } from "../../contract/ports.ts";
import { publishedTables, readPlan } from "../batch/plan.ts";
import { readQuery } from "../sql.ts";
import type { Layer } from "./reconciliation.ts";

type Flag = boolean | number;

/** A step of dm with the last load that all of its tables have. */
interface DmStep {
  readonly step: string;
  readonly load: number;
  readonly is_interrupted: Flag;
}

export interface Progress {
  readonly ods_load: number;
  readonly dds_load: number;
  readonly dm_steps: readonly DmStep[];
  readonly is_dds_interrupted: Flag;
  readonly is_dds_checked: Flag;
  readonly is_summary_current: Flag;
  /** No epoch or source is newer than the summary, which may call its last day complete or not. */
  readonly is_period_settled: Flag;
  /** Age of the oldest row that dds lacks; without meaning if dds lacks no row. */
  readonly dds_seconds: number;
  readonly dm_seconds: number;
  /** Time since the last load began, also one that found nothing; decades without a load. */
  readonly load_seconds: number;
  readonly mark: string;
}

export async function readProgress(db: Database): Promise<Progress> {
  const steps: Record<string, string[]> = {};
  for (const { publish, step } of publishedTables(readPlan())) {
    const [layer, target = ""] = publish.split(".");
    if (layer === "dm") steps[step] = [...(steps[step] ?? []), target];
  }
  const [progress] = await db.rows<Progress>(readQuery("checks/progress.sql"), { steps });
  if (!progress) throw new Error("checks/progress.sql returned no row");
  return progress;
}

export interface Lag {
  readonly layer: Layer;
  readonly step: string;
  readonly reason: string;
  /** Age of the oldest waiting row; null if unknown. */
  readonly oldestSeconds: number | null;
}

/** Lists the steps that are behind. The gate is open if no step is, even if messages wait. */
export function lagsOf(progress: Progress): Lag[] {
  const dds = lagOfDds(progress);
  return [...(dds ? [dds] : []), ...lagsOfDm(progress, dds !== null)];
}

function lagOfDds(progress: Progress): Lag | null {
  const { ods_load, dds_load, dds_seconds, is_dds_interrupted, is_dds_checked } = progress;
  const lag = { layer: "dds", step: "load_dds", oldestSeconds: null } as const;
  if (dds_load < ods_load) {
    const reason = `load ${ods_load} of ods is not in dds yet`;
    return { ...lag, reason, oldestSeconds: dds_seconds };
  }
  if (dds_load === 0) return null;
  if (is_dds_interrupted) return { ...lag, reason: "dds has no commit of the last load_dds" };
  if (is_dds_checked) return null;
  const reason = "the last load of dds has not been checked";
  return { ...lag, step: "check_dds_integrity", reason };
}

/** Lists the dm steps behind. @param isDdsBehind if true, dm's interrupted steps are ignored */
function lagsOfDm(progress: Progress, isDdsBehind: boolean): Lag[] {
  const { dds_load, dm_seconds, dm_steps } = progress;
  return dm_steps.flatMap(({ step, load, is_interrupted }): Lag[] => {
    const lag = { layer: "dm", step, oldestSeconds: null } as const;
    if (load < dds_load) {
      const reason = `load ${dds_load} of dds is not in dm yet`;
      return [{ ...lag, reason, oldestSeconds: dm_seconds }];
    }
    if (load === 0 || isDdsBehind || !is_interrupted) return [];
    return [{ ...lag, reason: `dm has no commit of the last ${step}` }];
  });
}
