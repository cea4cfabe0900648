import type { StackPlan } from "../../../components/services.ts";
import { SLUG } from "../../../superset/dashboard.ts";
import { formatSeconds, renderTable } from "../../terminal/format.ts";
import type { Mode } from "./choices.ts";
import { type MemoryPeak, peakOf } from "./memory.ts";
import type { MemoryUse } from "./memory-use.ts";
import { urls } from "./show.ts";

/** One part of a start. */
export interface Step {
  readonly name: string;
  readonly seconds: number;
  /** The most the containers held during it; nothing where the engine did not tell. */
  readonly memory: Promise<MemoryPeak>;
}

interface Outcome {
  readonly mode: Mode;
  readonly steps: readonly Step[];
  /** Whether a generator publishes. */
  readonly isFed: boolean;
  /** Whether data are there, or will come. */
  readonly isFilled: boolean;
}

/** What `up` ends with: what it took, where to look, how to log in, how to stop. */
export async function lastScreen(stack: string, plan: StackPlan, outcome: Outcome) {
  const memory = await Promise.all(outcome.steps.map((step) => step.memory));
  return [
    renderMemory(peakOf(memory.map(({ services }) => services)).services),
    renderSteps(
      outcome.steps,
      memory.map(({ total }) => total),
    ),
    urls(stack),
    `Account admin: make secrets STACK=${stack} prints its password.`,
    "",
    ...firstLooks(plan, outcome),
    ...next(stack, plan, outcome),
    `Stop: make down STACK=${stack} (data stays, make up goes on); make clean STACK=${stack} (nothing stays).`,
  ].join("\n");
}

function renderSteps(steps: readonly Step[], memory: readonly number[]): string {
  const rows = steps.map(({ name, seconds }, i) => [name, formatSeconds(seconds), memory[i] ?? 0]);
  const all = steps.reduce((sum, { seconds }) => sum + seconds, 0);
  const total = rows.length > 1 ? [["all", formatSeconds(all), Math.max(...memory)]] : [];
  return renderTable(["step", "took", "most memory, MiB"], [...rows, ...total]);
}

const renderMemory = (services: readonly MemoryUse[]): string =>
  renderTable(
    ["service", "most memory, MiB", "limit, MiB"],
    services.map(({ service, used, limit }) => [service, used, limit]),
  );

function firstLooks({ bi, scheduler, monitoring }: StackPlan, outcome: Outcome): string[] {
  const { mode, isFed } = outcome;
  if (mode === "bare") return [];
  const looks = [
    ...(bi ? [`${bi.url}/superset/dashboard/${SLUG}/  what visitors do`] : []),
    ...(monitoring.dashboards ? [`${monitoring.dashboards.url}  how the pipeline does`] : []),
    ...(scheduler ? [`${scheduler.url}  ${isFed ? LOADS : "the loads"}`] : []),
  ];
  return looks.length > 0 ? ["Look first at:", ...looks.map((line) => `  ${line}`), ""] : [];
}

const LOADS = "the loads: etl_live starts one every five minutes";

function next(stack: string, { scheduler, generator }: StackPlan, outcome: Outcome): string[] {
  const { mode, isFed, isFilled } = outcome;
  const load = `make transform STACK=${stack}`;
  if (mode === "living" && !isFed && generator) {
    return [
      `The generator stands by, nothing new comes. Next: make generator-up STACK=${stack}, then make up STACK=${stack}.`,
    ];
  }
  if (mode === "bare" || !isFed) {
    const data = isFilled ? "" : `make data STACK=${stack}, `;
    return [`Next: ${data}${load}, then make prove STACK=${stack}.`];
  }
  return [
    scheduler
      ? "The generator goes on with the clock, and the scheduler loads what comes."
      : `The generator goes on with the clock; ${load} loads what has come.`,
    `make prove STACK=${stack} accounts for every message.`,
  ];
}
