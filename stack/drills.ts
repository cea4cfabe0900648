import type { AlertLogPlan } from "../components/alert-log/spec.ts";
import type { StackPlan } from "../components/services.ts";
import { stackFolder } from "../components/shared/state.ts";
import { UserError } from "../contract/errors.ts";
import { type AlertRule, slugOf } from "../dashboards/alerts/rule.ts";
import { rulesFor } from "../dashboards/alerts/rules.ts";
import {
  breakageOf,
  type DrillTarget,
  Feeder,
  obstacleTo,
  stoppable,
} from "../dashboards/drills/breakages.ts";
import { type DrillOptions, type DrillTimes, drill } from "../dashboards/drills/drill.ts";
import { runInterruptible } from "../dashboards/drills/interruption.ts";
import { lockDrills } from "../dashboards/drills/record.ts";
import { nearest } from "../generator/suggestion.ts";
import { docker } from "../terminal/docker.ts";
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

/** Runs drills, fed ones in parallel. @throws UserError while others run, or for an impossible drill */
export async function runDrills(
  stack: string,
  names: readonly string[],
  print: PrintLine,
): Promise<DrillResults> {
  const { plan, metrics, alertLog } = watched(stack);
  await useClientEnvironment(stack);
  const rules = rulesFor(metrics.jobs);
  const target = targetOf(plan, alertLog);
  const wanted = names.length > 0 ? names.map((name) => knownRule(name, rules)) : rules;
  const canRunHere = (rule: AlertRule): boolean => obstacleTo(rule, target.services) === undefined;
  // A named rule without a possible drill is an error.
  if (names.length > 0) for (const rule of wanted) breakageOf(rule, target);
  const chosen = wanted.filter(canRunHere);
  const record = lockDrills(stack, stackFolder(stack), containersOf(chosen, plan));
  await restoreRest(record.rest, target.feeder, print);
  try {
    const run = (signal: AbortSignal) => {
      const options = { metricsUrl: metrics.address.url, withinMs: PATIENCE_MS, signal };
      return runAll(chosen, drillOf(target, options, print), signal, record.rest !== null);
    };
    const leftOut = wanted.flatMap((rule) => obstacleTo(rule, target.services) ?? []);
    return { ...(await runInterruptible(run, print)), leftOut };
  } finally {
    record.close();
  }
}

async function runAll(
  chosen: readonly AlertRule[],
  one: (rule: AlertRule, settleMs: number) => Promise<DrillTimes>,
  signal: AbortSignal,
  isAfterOthers: boolean,
): Promise<Pick<DrillResults, "passed" | "failed">> {
  const isFed = (rule: AlertRule): boolean => rule.drill.kind === "feed";
  // Only alerts of previous drills may still be active; any other active alert is an error.
  const patience = (isAfter: boolean): number => (isAfter ? SETTLE_MS : 0);
  const fed = chosen.filter(isFed).map((rule) => one(rule, patience(isAfterOthers)));
  const outcomes = await Promise.allSettled(fed);
  for (const rule of chosen.filter((other) => !isFed(other))) {
    if (signal.aborted) break;
    const settleMs = patience(isAfterOthers || outcomes.length > 0);
    outcomes.push(...(await Promise.allSettled([one(rule, settleMs)])));
  }
  return {
    passed: outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
    failed: outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : [])),
  };
}

async function restoreRest(
  stopped: readonly string[] | null,
  feeder: Feeder,
  print: PrintLine,
): Promise<void> {
  await feeder.clear();
  if (!stopped) return;
  for (const container of stopped) await docker("start", container);
  print(
    `Cleaned up after a killed drill: samples removed${stopped.length > 0 ? `, ${stopped.join(" and ")} started` : ""}.`,
  );
}

const containerNames = ({ broker, generator }: StackPlan) => ({
  broker: broker.service?.container.name,
  generator: generator?.service.container.name,
});

function containersOf(rules: readonly AlertRule[], plan: StackPlan): string[] {
  const names = containerNames(plan);
  const stopped = rules.flatMap(({ drill }) =>
    drill.kind === "stop" ? (names[drill.service] ?? []) : [],
  );
  return [...new Set(stopped)];
}

function targetOf(plan: StackPlan, { feed }: AlertLogPlan): DrillTarget {
  const { broker, generator } = containerNames(plan);
  return {
    feeder: new Feeder(feed),
    databaseUrl: process.env.CLICKHOUSE_URL ?? "",
    services: {
      broker: broker ? stoppable(broker) : null,
      generator: generator ? stoppable(generator) : null,
    },
  };
}

const drillOf =
  (target: DrillTarget, options: DrillOptions, print: PrintLine) =>
  (rule: AlertRule, settleMs: number): Promise<DrillTimes> => {
    print(`${rule.name}: ${rule.drill.kind}, for ${rule.for}`);
    return drill(rule, breakageOf(rule, target), {
      ...options,
      settleMs,
      onState: (state, seconds) => print(`${rule.name}: ${state} after ${seconds} s`),
    });
  };

function knownRule(name: string, rules: readonly AlertRule[]): AlertRule {
  const found = rules.find((rule) => rule.name === name || slugOf(rule.name) === name);
  if (found) return found;
  const allowed = rules.map((rule) => rule.name);
  throw new UserError(
    `There is no alert ${name}; did you mean ${nearest(name, allowed)}? Allowed: ${allowed.join(", ")}`,
    "run make drill ALERT=NAME, or make drill-all",
  );
}
