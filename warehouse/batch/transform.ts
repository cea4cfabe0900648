import type { Database } from "../../contract/ports.ts";
import { formatCount, formatSeconds } from "../../terminal/format.ts";
import { sideBySide } from "../database/side-by-side.ts";
import { type Plan, type PlanStep, readPlan } from "./plan.ts";
import type { PublishedTable } from "./published-table.ts";
import { type Run, runStep, type StepOptions, type StepResult, withRun } from "./run-step.ts";

export interface TransformOptions extends StepOptions {
  readonly onStep?: (result: StepResult) => void;
  /** Plan to run; default `sql/etl/plan.yaml`. */
  readonly plan?: Plan;
}

/** Runs the steps under one lease, after those that only wait. */
export async function transform(db: Database, options: TransformOptions): Promise<StepResult[]> {
  const plan = options.plan ?? readPlan();
  const runAll = (steps: readonly PlanStep[], run?: Run): Promise<StepResult[]> =>
    runInOrder(steps, async (step, earlier) => {
      const skipped = earlier.find(({ endsRun }) => endsRun)?.endsRun;
      const result = skipped
        ? { id: step.id, seconds: 0, skipped, report: {} }
        : await runStep(run?.lease.db ?? db, plan, step, options, run);
      options.onStep?.(result);
      return result;
    });
  const waited = await runAll(plan.steps.filter(({ wait }) => wait));
  const others = plan.steps.filter(({ wait }) => !wait);
  const loaded = await withRun({ db, plan }, "transform", (run) => runAll(others, run));
  return [...waited, ...loaded];
}

/** Runs each step after the earlier ones that it must wait for. */
async function runInOrder(
  steps: readonly PlanStep[],
  run: (step: PlanStep, earlier: readonly StepResult[]) => Promise<StepResult>,
): Promise<StepResult[]> {
  const begun: { step: PlanStep; result: Promise<StepResult> }[] = [];
  for (const step of steps) {
    const before = begun.filter(({ step: earlier }) => mustWait(step, earlier));
    const result = sideBySide(before.map(({ result }) => result)).then((earlier) =>
      run(step, earlier),
    );
    begun.push({ step, result });
  }
  return sideBySide(begun.map(({ result }) => result));
}

/** Steps that only publish tables, whose sources the plan names, go side by side unless one reads what the other publishes. */
function mustWait(step: PlanStep, earlier: PlanStep): boolean {
  const [tables, written] = [tablesReplacedBy(step), tablesReplacedBy(earlier)];
  return (
    !tables || !written || written.some(({ publish }) => tables.some(({ from }) => publish in from))
  );
}

/** Returns the tables of a step that only replaces rows of tables; undefined for others. */
function tablesReplacedBy({ statements }: PlanStep): PublishedTable[] | undefined {
  const tables = statements.flatMap((one) => ("publish" in one && one.rows ? [one] : []));
  return tables.length > 0 && tables.length === statements.length ? tables : undefined;
}

/** Loads what is new, and does not wait for data. */
export function loadNew(db: Database): Promise<StepResult[]> {
  const plan = readPlan();
  const steps = plan.steps.filter(({ wait }) => !wait);
  return transform(db, { plan: { ...plan, steps }, fullRefresh: false, waitSeconds: 0 });
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
