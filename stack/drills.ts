import type { StackPlan } from "../components/services.ts";
import { UserError } from "../contract/errors.ts";
import { type AlertRule, slugOf } from "../dashboards/alerts/rule.ts";
import { rulesFor } from "../dashboards/alerts/rules.ts";
import {
  breakageOf,
  type DrilledRule,
  type DrillTarget,
  hasDrill,
  obstacleTo,
  stoppable,
} from "../dashboards/drills/breakages.ts";
import {
  type DrillOptions,
  type DrillTimes,
  drill,
  runInterruptible,
} from "../dashboards/drills/drill.ts";
import { nearest } from "../generator/suggestion.ts";
import { useClientEnvironment } from "./lifecycle/client.ts";
import { type PrintLine, watched } from "./monitoring.ts";

/** Time limit for an alert: longer than any rule's duration and window, a scrape and a start. */
const PATIENCE_MS = 75 * 60_000;
/** Time limit for a recovery: a window of the rates, a scrape and a service's start. */
const SETTLE_MS = 15 * 60_000;

export interface DrillResults {
  readonly passed: readonly DrillTimes[];
  readonly failed: readonly string[];
  readonly leftOut: readonly string[];
}

/** Runs drills one after another. @throws UserError for a named rule that cannot be drilled */
export async function runDrills(
  stack: string,
  names: readonly string[],
  print: PrintLine,
): Promise<DrillResults> {
  const { plan, metrics } = watched(stack);
  await useClientEnvironment(stack);
  const rules = rulesFor(metrics.jobs);
  const target = targetOf(plan);
  const wanted =
    names.length > 0 ? names.map((name) => drilledRule(name, rules)) : rules.filter(hasDrill);
  // A named rule without a possible drill is an error.
  if (names.length > 0) for (const rule of wanted) breakageOf(rule, target);
  const chosen = wanted.filter((rule) => obstacleTo(rule, target.services) === undefined);
  const leftOut = wanted.flatMap((rule) => obstacleTo(rule, target.services) ?? []);
  const run = (signal: AbortSignal) => {
    const options = { metricsUrl: metrics.address.url, withinMs: PATIENCE_MS, signal };
    return runAll(chosen, drillOf(target, options, print), signal);
  };
  return { ...(await runInterruptible(run, print)), leftOut };
}

async function runAll(
  chosen: readonly DrilledRule[],
  one: (rule: DrilledRule, settleMs: number) => Promise<DrillTimes>,
  signal: AbortSignal,
): Promise<Omit<DrillResults, "leftOut">> {
  const outcomes: PromiseSettledResult<DrillTimes>[] = [];
  for (const rule of chosen) {
    if (signal.aborted) break;
    // Only alerts of previous drills may still be active; any other active alert is an error.
    const settleMs = outcomes.length > 0 ? SETTLE_MS : 0;
    outcomes.push(...(await Promise.allSettled([one(rule, settleMs)])));
  }
  return {
    passed: outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    failed: outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : [])),
  };
}

function targetOf({ broker, generator, scheduler }: StackPlan): DrillTarget {
  return {
    databaseUrl: process.env.CLICKHOUSE_URL ?? "",
    services: {
      broker: broker.service ? stoppable(broker.service.container.name) : null,
      generator: generator ? stoppable(generator.service.container.name) : null,
      scheduler: scheduler ? stoppable(scheduler.service.container.name) : null,
    },
  };
}

const drillOf =
  (target: DrillTarget, options: DrillOptions, print: PrintLine) =>
  (rule: DrilledRule, settleMs: number): Promise<DrillTimes> => {
    print(`${rule.name}: ${rule.drill.kind}, for ${rule.for}`);
    return drill(rule, breakageOf(rule, target), {
      ...options,
      settleMs,
      onState: (state, seconds) => print(`${rule.name}: ${state} after ${seconds} s`),
    });
  };

/** Finds a rule by name or slug. @throws UserError for an unknown rule, or one without a drill */
export function drilledRule(name: string, rules: readonly AlertRule[]): DrilledRule {
  const allowed = rules.filter(hasDrill);
  const hasName = (rule: AlertRule): boolean => rule.name === name || slugOf(rule.name) === name;
  const found = allowed.find(hasName);
  if (found) return found;
  const names = allowed.map((rule) => rule.name);
  throw new UserError(
    rules.some(hasName)
      ? `The alert ${name} has no drill, only a rule test. Allowed: ${names.join(", ")}`
      : `There is no alert ${name}; did you mean ${nearest(name, names)}? Allowed: ${names.join(", ")}`,
    "run make drill ALERT=NAME, or make drill-all",
  );
}
