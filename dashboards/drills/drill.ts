import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../contract/errors.ts";
import { renderTable } from "../../terminal/format.ts";
import type { AlertRule } from "../alerts/rule.ts";
import { activeAlerts } from "../checks/prometheus.ts";

/** Breaks one thing, and undoes it. Both may be called once each, in this order. */
export interface Breakage {
  start(): Promise<void>;
  /** Called again and again while the drill waits. */
  keepUp?(): Promise<void>;
  heal(): Promise<void>;
}

export interface DrillTimes {
  readonly rule: string;
  /** Seconds from breaking to pending (null: it has no duration) and to firing, and from healing to resolved. */
  readonly pending: number | null;
  readonly firing: number;
  readonly resolved: number;
}

export interface DrillOptions {
  readonly metricsUrl: string;
  /** Longest wait for each state, milliseconds. */
  readonly withinMs: number;
  readonly onState?: (state: string, seconds: number) => void;
  /** Ends the waiting; what is broken is healed first. */
  readonly signal?: AbortSignal;
  /** Longest wait for an alert that is active before anything is broken, milliseconds; default 0. */
  readonly settleMs?: number;
}

/** What `make drill` prints of those that passed. */
export const drillTable = (passed: readonly DrillTimes[]): string =>
  renderTable(
    ["alert", "pending", "firing", "resolved after healing"],
    passed.map(({ rule, pending, firing, resolved }) => [
      rule,
      pending === null ? "at once" : `${pending} s`,
      `${firing} s`,
      `${resolved} s`,
    ]),
  );

const POLL_MS = 1_000;

type State = "inactive" | "pending" | "firing";

/**
 * Breaks one thing, waits until its alert fires, heals it, waits until the alert is gone.
 * @throws UserError when the alert was active before, a state does not come, or it was cut off; it
 * heals first
 */
export async function drill(
  rule: AlertRule,
  breakage: Breakage,
  { metricsUrl, withinMs, onState, signal, settleMs = 0 }: DrillOptions,
): Promise<DrillTimes> {
  const wait: Waiting = { metricsUrl, rule, signal };
  await until(wait, ["inactive"], settleMs).catch((error: unknown) => {
    throw error instanceof Late && settleMs === 0 ? busy(rule) : error;
  });
  const begin = Date.now();
  const since = (start: number): number => Math.round((Date.now() - start) / 1000);
  const reach = async (states: readonly State[], start: number): Promise<number> => {
    const state = await until(wait, states, withinMs, breakage);
    onState?.(state === "inactive" ? "resolved" : state, since(start));
    return since(start);
  };
  const fire = async (): Promise<Pick<DrillTimes, "pending" | "firing">> => {
    await breakage.start();
    const pending = rule.for === "0s" ? null : await reach(["pending", "firing"], begin);
    return { pending, firing: await reach(["firing"], begin) };
  };
  const { pending, firing } = await fire().catch((cause: unknown) => healAfter(cause, breakage));
  await breakage.heal();
  const resolved = await reach(["inactive"], Date.now());
  return { rule: rule.name, pending, firing, resolved };
}

/** What went wrong first is told, also where healing fails as well. */
async function healAfter(cause: unknown, breakage: Breakage): Promise<never> {
  try {
    await breakage.heal();
  } catch (error) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(
      `${why}\nIt is not healed: ${(error as Error).message}`,
      "make up, make ps",
    );
  }
  throw cause;
}

interface Waiting {
  readonly metricsUrl: string;
  readonly rule: AlertRule;
  readonly signal: AbortSignal | undefined;
}

async function until(
  { metricsUrl, rule, signal }: Waiting,
  states: readonly State[],
  withinMs: number,
  breakage?: Breakage,
): Promise<State> {
  for (const deadline = Date.now() + withinMs; ; await pause(rule, signal)) {
    const state = await stateOf(metricsUrl, rule);
    if (states.includes(state)) return state;
    if (Date.now() >= deadline) throw new Late(rule, states, state, withinMs);
    if (!states.includes("inactive")) await breakage?.keepUp?.();
  }
}

async function pause({ name }: AlertRule, signal: AbortSignal | undefined): Promise<void> {
  await sleep(POLL_MS, undefined, signal && { signal }).catch(() => {
    throw new UserError(`${name}: cut off before its end.`, `make drill ALERT=${name}`);
  });
}

async function stateOf(url: string, { name }: AlertRule): Promise<State> {
  const own = (await activeAlerts(url)).filter(({ labels }) => labels.alertname === name);
  if (own.some(({ state }) => state === "firing")) return "firing";
  return own.length > 0 ? "pending" : "inactive";
}

const busy = ({ name }: AlertRule): UserError =>
  new UserError(
    `${name} is active already: a drill would prove nothing.`,
    `see docs/monitoring.md for its hint, then make drill ALERT=${name}`,
  );

/** A state that did not come in time. */
class Late extends UserError {
  constructor({ name }: AlertRule, states: readonly State[], state: State, withinMs: number) {
    super(
      `${name} did not become ${states.join(" or ")} within ${Math.round(withinMs / 1000)} s; it is ${state}.`,
      "make ps, and the page /alerts of Prometheus (make urls)",
    );
  }
}
