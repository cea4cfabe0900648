import type { MetricsPlan } from "../components/metrics/spec.ts";
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
import { untilCutOff } from "../dashboards/drills/interruption.ts";
import { takeDrills } from "../dashboards/drills/record.ts";
import { nearest } from "../generator/nearest.ts";
import { docker } from "../terminal/docker.ts";
import { useClientEnvironment } from "./lifecycle/client.ts";
import { type Tell, watched } from "./monitoring.ts";

/** Longer than any rule's duration with its window, a scrape and a service's start. */
const PATIENCE_MS = 75 * 60_000;
/** What is healed shows after a window of the rates, a scrape and a service's start. */
const SETTLE_MS = 15 * 60_000;

export interface DrillResults {
  readonly passed: readonly DrillTimes[];
  /** Why the others failed, rule by rule. */
  readonly failed: readonly string[];
  /** What cannot be broken on this stack, and why. */
  readonly leftOut: readonly string[];
}

/**
 * Runs the drill of each rule named, or of all: those that are fed at once, as they touch nothing,
 * the others one after another. One that fails stops no other. Heals before it ends, also when it is
 * cut off, and at its start what an earlier run has left broken.
 * @throws UserError while other drills of the stack run, or where a named one cannot be had here
 */
export async function runDrills(
  stack: string,
  names: readonly string[],
  tell: Tell,
): Promise<DrillResults> {
  const { plan, metrics } = watched(stack);
  await useClientEnvironment(stack);
  const rules = rulesFor(metrics.jobs);
  const target = targetOf(plan, metrics);
  const wanted = names.length > 0 ? names.map((name) => knownRule(name, rules)) : rules;
  const isHere = (rule: AlertRule): boolean => obstacleTo(rule, target.services) === undefined;
  // Tells why, for one that was named.
  if (names.length > 0) for (const rule of wanted) breakageOf(rule, target);
  const chosen = wanted.filter(isHere);
  const record = takeDrills(stack, stackFolder(stack), containersOf(chosen, plan));
  // Where it cannot be healed, the record stays for the next run.
  await healRest(record.rest, target.feeder, tell);
  try {
    const run = (signal: AbortSignal) => {
      const options = { metricsUrl: metrics.url, withinMs: PATIENCE_MS, signal };
      return runAll(chosen, drillOf(target, options, tell), signal, record.rest !== null);
    };
    const leftOut = wanted.flatMap((rule) => obstacleTo(rule, target.services) ?? []);
    return { ...(await untilCutOff(run, tell)), leftOut };
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
  // What an earlier drill broke may still show; what was active before any is told at once.
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

/** Takes back what a run that was killed could not; values that nobody owns are none's. */
async function healRest(
  stopped: readonly string[] | null,
  feeder: Feeder,
  tell: Tell,
): Promise<void> {
  await feeder.clear();
  if (!stopped) return;
  for (const container of stopped) await docker("start", container);
  tell(
    `An earlier drill was cut off: its values are taken back${stopped.length > 0 ? `, ${stopped.join(" and ")} started` : ""}.`,
  );
}

const containerNames = ({ broker, generator }: StackPlan) => ({
  broker: broker.service?.container.name,
  generator: generator?.service.container.name,
});

/** What these drills stop. */
function containersOf(rules: readonly AlertRule[], plan: StackPlan): string[] {
  const names = containerNames(plan);
  const stopped = rules.flatMap(({ drill }) =>
    drill.kind === "stop" ? (names[drill.service] ?? []) : [],
  );
  return [...new Set(stopped)];
}

function targetOf(plan: StackPlan, { alertLog }: MetricsPlan): DrillTarget {
  const { broker, generator } = containerNames(plan);
  return {
    feeder: new Feeder(alertLog.feed),
    // Read after the client's environment is set: runDrills.
    databaseUrl: process.env.CLICKHOUSE_URL ?? "",
    services: {
      broker: broker ? stoppable(broker) : null,
      generator: generator ? stoppable(generator) : null,
    },
  };
}

const drillOf =
  (target: DrillTarget, options: DrillOptions, tell: Tell) =>
  (rule: AlertRule, settleMs: number): Promise<DrillTimes> => {
    tell(`${rule.name}: ${rule.drill.kind}, for ${rule.for}`);
    return drill(rule, breakageOf(rule, target), {
      ...options,
      settleMs,
      onState: (state, seconds) => tell(`${rule.name}: ${state} after ${seconds} s`),
    });
  };

function knownRule(name: string, rules: readonly AlertRule[]): AlertRule {
  const found = rules.find((rule) => rule.name === name || slugOf(rule.name) === name);
  if (found) return found;
  const allowed = rules.map((rule) => rule.name);
  throw new UserError(
    `There is no alert ${name}; did you mean ${nearest(name, allowed)}? Allowed: ${allowed.join(", ")}`,
    "make drill ALERT=NAME, or make drill-all",
  );
}
