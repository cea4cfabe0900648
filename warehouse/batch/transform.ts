import type { Database } from "../../contract/ports.ts";
import { formatCount, formatSeconds } from "../../terminal/format.ts";
import type { LeaseOptions } from "./lease.ts";
import { type Plan, type PlanStep, readPlan } from "./plan.ts";
import { type Run, runStep, type StepOptions, type StepResult, withRun } from "./run-step.ts";

export interface TransformOptions extends StepOptions {
  readonly onStep?: (result: StepResult) => void;
  /** Plan to run; default `sql/etl/plan.yaml`. */
  readonly plan?: Plan;
}

/** Runs the steps under one lease, after those that only wait. */
export async function transform(db: Database, options: TransformOptions): Promise<StepResult[]> {
  const plan = options.plan ?? readPlan();
  const results: StepResult[] = [];
  const runAll = async (steps: readonly PlanStep[], run?: Run): Promise<void> => {
    for (const step of steps) {
      const result = await runStep(run?.lease.db ?? db, plan, step, options, run);
      options.onStep?.(result);
      results.push(result);
    }
  };
  await runAll(plan.steps.filter(({ wait }) => wait));
  const others = plan.steps.filter(({ wait }) => !wait);
  await withRun({ db, plan, options }, "transform", (run) => runAll(others, run));
  return results;
}

/** Loads what is new, and does not wait for data. */
export function loadNew(db: Database, lease?: LeaseOptions): Promise<StepResult[]> {
  const plan = readPlan();
  const steps = plan.steps.filter(({ wait }) => !wait);
  const options = { plan: { ...plan, steps }, fullRefresh: false, waitSeconds: 0 };
  return transform(db, { ...options, ...(lease && { lease }) });
}

/** Formats a step's result: `load_ods                 1.45 s  typed 718,468 · rejected 752`. */
export function stepLine({ id, seconds, skipped, report, published = {} }: StepResult): string {
  const ways = Object.values(published);
  const numbers = Object.entries(report).map(
    ([name, value]) => `${name.replaceAll("_", " ")} ${formatCount(value)}`,
  );
  if (ways.includes("changed rows") && !ways.includes("whole table"))
    numbers.push("changed rows only");
  return `  ${id.padEnd(22)} ${formatSeconds(seconds).padStart(8)}  ${skipped ? `nothing to do: ${skipped}` : numbers.join(" · ")}`;
}
