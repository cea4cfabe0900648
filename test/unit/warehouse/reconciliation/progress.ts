import type { Progress } from "../../../../warehouse/reconciliation/progress.ts";

/** The steps of dm, all at load 3 but for the given changes. */
export function dmSteps(
  changes: Readonly<Record<string, Partial<Progress["dm_steps"][number]>>>,
): Progress["dm_steps"] {
  const steps = ["load_dm_events", "load_dm_sessions", "load_dm_visitors", "load_dm_summary"];
  return steps.map((step) => ({ step, load: 3, is_interrupted: 0, ...changes[step] }));
}

/** Every step has loaded what there is. */
export const DONE: Progress = {
  ...{ ods_load: 3, dds_load: 3, dm_steps: dmSteps({}), is_dds_interrupted: 0 },
  ...{ is_dds_checked: 1, is_summary_current: 1, is_period_settled: 1 },
  ...{ dds_seconds: 0, dm_seconds: 0, load_seconds: 0, mark: "" },
};
