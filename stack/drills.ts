import type { OptionalService, StackConfig } from "../components/config.ts";
import { stackNames } from "../components/shared/names.ts";
import { UserError } from "../contract/errors.ts";
import { type AlertRule, slugOf } from "../dashboards/alerts/rule.ts";
import { alertRules, missingJob, rulesFor } from "../dashboards/alerts/rules.ts";
import { readMonitoring } from "../dashboards/checks/endpoints.ts";
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
import { JOB_NAMES, type Job } from "../dashboards/promql.ts";
import { nearest } from "../generator/suggestion.ts";
import { useClientEnvironment } from "./lifecycle/client.ts";
import { localConfig } from "./lifecycle/local-config.ts";
import type { PrintLine } from "./monitoring.ts";
import { missingService, requireService } from "./require-service.ts";

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
  const config = localConfig(stack);
  requireService(stack, config, "prometheus");
  const wanted = names.map((name) => drilledRule(name, stack, config));
  await useClientEnvironment(stack);
  const target = targetOf(stack, config);
  // A named rule without a possible drill is an error.
  for (const rule of wanted) breakageOf(rule, target);
  const all = names.length > 0 ? wanted : alertRules.filter(hasDrill);
  const obstacles = all.map(
    (rule) => unwatched(rule, stack, config)?.message ?? obstacleTo(rule, target.services),
  );
  const chosen = all.filter((_, index) => obstacles[index] === undefined);
  const run = (signal: AbortSignal) => {
    const { metricsUrl } = readMonitoring();
    const options = { metricsUrl, withinMs: PATIENCE_MS, signal };
    return runAll(chosen, drillOf(target, options, print), signal);
  };
  const leftOut = obstacles.filter((obstacle) => obstacle !== undefined);
  return { ...(await runInterruptible(run, print)), leftOut };
}

/** Services whose metrics are the jobs; ClickHouse is always there, but an external one has no job. */
const SOURCES: Readonly<Partial<Record<Job, OptionalService>>> = {
  broker: "kafkaExporter",
  scheduler: "statsdExporter",
  generator: "generator",
  ingest: "ingest",
  prometheus: "prometheus",
};

/** Returns the jobs that the stack's Prometheus scrapes. */
export const jobsOf = (config: StackConfig): ReadonlySet<Job> =>
  new Set(
    JOB_NAMES.filter((job) => {
      const source = SOURCES[job];
      if (source) return config[source] !== undefined;
      return job === "pipeline" || config.clickhouse.mode === "container";
    }),
  );

/** Returns the error for a rule whose metrics the stack does not have, or undefined. */
function unwatched(rule: AlertRule, stack: string, config: StackConfig): UserError | undefined {
  const job = missingJob(rule, jobsOf(config));
  if (job === undefined) return undefined;
  const source = SOURCES[job];
  const use = `, whose metrics ${rule.name} needs`;
  if (source) return missingService(stack, source, use);
  return new UserError(
    `The stack ${stack} does not scrape its external ClickHouse${use}`,
    "run make drill-all, which skips this alert",
  );
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

function targetOf(stack: string, config: StackConfig): DrillTarget {
  const { container } = stackNames(stack);
  return {
    databaseUrl: process.env.CLICKHOUSE_URL ?? "",
    services: {
      broker: config.kafka.mode === "container" ? stoppable(container("kafka")) : null,
      generator: config.generator ? stoppable(container("generator")) : null,
      scheduler: config.airflow ? stoppable(container("airflow")) : null,
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

/** Finds a rule by name or slug. @throws UserError if the rule is unknown, off, or without a drill */
export function drilledRule(name: string, stack: string, config: StackConfig): DrilledRule {
  const hasName = (rule: AlertRule): boolean => rule.name === name || slugOf(rule.name) === name;
  const found = alertRules.find(hasName);
  const refusal = found && unwatched(found, stack, config);
  if (refusal) throw refusal;
  if (found && hasDrill(found)) return found;
  const names = rulesFor(jobsOf(config))
    .filter(hasDrill)
    .map((rule) => rule.name);
  throw new UserError(
    found
      ? `The alert ${name} has no drill, only a rule test. Allowed: ${names.join(", ")}`
      : `There is no alert ${name}; did you mean ${nearest(name, names)}? Allowed: ${names.join(", ")}`,
    "run make drill ALERT=NAME, or make drill-all",
  );
}
