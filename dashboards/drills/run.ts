import { UserError } from "../../contract/errors.ts";
import { nearest } from "../../generator/suggestion.ts";
import { type AlertRule, slugOf } from "../alerts/rule.ts";
import { alertRules, missingJob, rulesFor } from "../alerts/rules.ts";
import type { Job } from "../promql.ts";
import {
  breakageOf,
  type DrilledRule,
  type DrillTarget,
  hasDrill,
  obstacleTo,
} from "./breakages.ts";
import { type DrillTimes, drill, runInterruptible } from "./drill.ts";

type PrintLine = (line: string) => void;

/** Time limit for an alert: longer than any rule's duration and window, a scrape and a start. */
const PATIENCE_MS = 75 * 60_000;
/** Time limit for a recovery: a window of the rates, a scrape and a service's start. */
const SETTLE_MS = 15 * 60_000;

interface DrillResults {
  readonly passed: readonly DrillTimes[];
  readonly failed: readonly string[];
  readonly leftOut: readonly string[];
}

interface DrilledStack extends DrillTarget {
  readonly metricsUrl: string;
  /** Jobs that its Prometheus scrapes. */
  readonly jobs: ReadonlySet<Job>;
}

/** Runs drills one after another. @throws UserError for a named rule that cannot be drilled */
export async function runDrills(
  stack: DrilledStack,
  names: readonly string[],
  print: PrintLine,
): Promise<DrillResults> {
  const wanted = names.map((name) => drilledRule(name, stack.jobs));
  // A named rule without a possible drill is an error.
  for (const rule of wanted) breakageOf(rule, stack);
  const all = names.length > 0 ? wanted : alertRules.filter(hasDrill);
  const obstacles = all.map(
    (rule) => unwatched(rule, stack.jobs)?.message ?? obstacleTo(rule, stack.services),
  );
  const chosen = all.filter((_, index) => obstacles[index] === undefined);
  const done = await runInterruptible((signal) => runAll(stack, chosen, signal, print), print);
  return { ...done, leftOut: obstacles.filter((obstacle) => obstacle !== undefined) };
}

async function runAll(
  stack: DrilledStack,
  chosen: readonly DrilledRule[],
  signal: AbortSignal,
  print: PrintLine,
): Promise<Omit<DrillResults, "leftOut">> {
  const { metricsUrl } = stack;
  const passed: DrillTimes[] = [];
  const failed: string[] = [];
  for (const rule of chosen) {
    if (signal.aborted) break;
    print(`${rule.name}: ${rule.drill.kind}, for ${rule.for}`);
    const onState = (state: string, seconds: number) =>
      print(`${rule.name}: ${state} after ${seconds} s`);
    // Only alerts of previous drills may still be active; any other active alert is an error.
    const settleMs = rule === chosen[0] ? 0 : SETTLE_MS;
    const options = { metricsUrl, withinMs: PATIENCE_MS, settleMs, signal, onState };
    await drill(rule, breakageOf(rule, stack), options).then(
      (times) => passed.push(times),
      (error) => failed.push(String(error)),
    );
  }
  return { passed, failed };
}

/** Returns the error for a rule whose metrics the stack does not have, or undefined. */
function unwatched(rule: AlertRule, jobs: ReadonlySet<Job>): UserError | undefined {
  const job = missingJob(rule, jobs);
  return job === undefined
    ? undefined
    : new UserError(
        `${rule.name} needs the metrics of the job ${job}, which this stack's Prometheus does not scrape`,
        "switch its exporter or service on, then run make up; make drill-all skips this alert",
      );
}

/** Finds a rule by name or slug. @throws UserError if the rule is unknown, off, or without a drill */
export function drilledRule(name: string, jobs: ReadonlySet<Job>): DrilledRule {
  const hasName = (rule: AlertRule): boolean => rule.name === name || slugOf(rule.name) === name;
  const found = alertRules.find(hasName);
  const refusal = found && unwatched(found, jobs);
  if (refusal) throw refusal;
  if (found && hasDrill(found)) return found;
  const names = rulesFor(jobs)
    .filter(hasDrill)
    .map((rule) => rule.name);
  throw new UserError(
    found
      ? `The alert ${name} has no drill, only a rule test. Allowed: ${names.join(", ")}`
      : `There is no alert ${name}; did you mean ${nearest(name, names)}? Allowed: ${names.join(", ")}`,
    "run make drill ALERT=NAME, or make drill-all",
  );
}
