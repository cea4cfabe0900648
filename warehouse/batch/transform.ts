import type { Database } from "../../contract/ports.ts";
import { formatCount, formatSeconds } from "../../terminal/format.ts";
import { findStep, type Plan, readPlan } from "./plan.ts";
import { runStep, type StepOptions, type StepResult } from "./run-step.ts";

export interface TransformOptions extends StepOptions {
  readonly onStep?: (result: StepResult) => void;
  readonly only?: string;
  /** Plan to run; default `sql/etl/plan.yaml`. */
  readonly plan?: Plan;
}

export async function transform(db: Database, options: TransformOptions): Promise<StepResult[]> {
  const plan = options.plan ?? readPlan();
  const results: StepResult[] = [];
  const steps = options.only ? [findStep(plan, options.only)] : plan.steps;
  for (const step of steps) {
    const result = await runStep(db, plan, step, options);
    options.onStep?.(result);
    results.push(result);
  }
  return results;
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
