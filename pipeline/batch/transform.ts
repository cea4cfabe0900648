import type { Database } from "../../contract/ports.ts";
import { readPlan } from "./plan.ts";
import { runStep, type StepResult } from "./run-step.ts";

export interface TransformOptions {
  readonly fullRefresh: boolean;
  readonly waitSeconds: number;
  readonly onStart?: (id: string, about: string) => void;
  readonly onStep?: (result: StepResult) => void;
}

/** Runs the whole plan in order; the first failing step ends it. */
export async function transform(db: Database, options: TransformOptions): Promise<StepResult[]> {
  const plan = readPlan();
  const results: StepResult[] = [];
  for (const step of plan.steps) {
    options.onStart?.(step.id, step.about);
    const result = await runStep(db, plan, step, options);
    options.onStep?.(result);
    results.push(result);
  }
  return results;
}
