import type { Database } from "../../contract/ports.ts";
import { findStep, type Plan, readPlan } from "./plan.ts";
import { runStep, type StepOptions, type StepResult } from "./run-step.ts";

export interface TransformOptions extends StepOptions {
  readonly onStart?: (id: string, about: string) => void;
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
    options.onStart?.(step.id, step.about);
    const result = await runStep(db, plan, step, options);
    options.onStep?.(result);
    results.push(result);
  }
  return results;
}
