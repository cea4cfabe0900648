import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../contract/errors.ts";
import { renderTable } from "../../terminal/format.ts";
import type { AlertRule } from "../alerts/rule.ts";
import { activeAlerts } from "../checks/prometheus.ts";

/** Fault of a drill. `start`, then `undo`, is called once. */
export interface Breakage {
  start(): Promise<void>;
  keepUp?(): Promise<void>;
  undo(): Promise<void>;
}

export interface DrillTimes {
  readonly rule: string;
  /** Seconds from the start to pending and firing, and from the undo to resolved. */
  readonly pending: number | null;
  readonly firing: number;
  readonly resolved: number;
}

export interface DrillOptions {
  readonly metricsUrl: string;
  /** Longest wait for each state, milliseconds. */
  readonly withinMs: number;
  readonly onState?: (state: string, seconds: number) => void;
  /** Aborts the wait; the drill first undoes its change. */
  readonly signal?: AbortSignal;
  /** Longest wait for an alert that is active before the drill, milliseconds; default 0. */
  readonly settleMs?: number;
}

export const drillTable = (passed: readonly DrillTimes[]): string =>
  renderTable(
    ["alert", "pending", "firing", "resolved after recovery"],
    passed.map(({ rule, pending, firing, resolved }) => [
      rule,
      pending === null ? "immediately" : `${pending} s`,
      `${firing} s`,
      `${resolved} s`,
    ]),
  );

const POLL_MS = 1_000;

type State = "inactive" | "pending" | "firing";

/** Runs a drill, then undoes its change. @throws UserError for an active or unreached state */
export async function drill(
  rule: AlertRule,
  breakage: Breakage,
  { metricsUrl, withinMs, onState, signal, settleMs = 0 }: DrillOptions,
): Promise<DrillTimes> {
  const wait: AlertQuery = { metricsUrl, rule, signal };
  await waitForState(wait, ["inactive"], settleMs).catch((error: unknown) => {
    throw error instanceof Late && settleMs === 0 ? busy(rule) : error;
  });
  const begin = Date.now();
  const since = (start: number): number => Math.round((Date.now() - start) / 1000);
  const reach = async (states: readonly State[], start: number): Promise<number> => {
    const state = await waitForState(wait, states, withinMs, breakage);
    onState?.(state === "inactive" ? "resolved" : state, since(start));
    return since(start);
  };
  const fire = async (): Promise<Pick<DrillTimes, "pending" | "firing">> => {
    await breakage.start();
    const pending = rule.for === "0s" ? null : await reach(["pending", "firing"], begin);
    return { pending, firing: await reach(["firing"], begin) };
  };
  const { pending, firing } = await fire().catch((cause: unknown) => undoAfter(cause, breakage));
  await breakage.undo();
  const resolved = await reach(["inactive"], Date.now());
  return { rule: rule.name, pending, firing, resolved };
}

/** Undoes the change, and adds the error of the undo if that fails as well. */
async function undoAfter(cause: unknown, breakage: Breakage): Promise<never> {
  try {
    await breakage.undo();
  } catch (error) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UserError(
      `${why}\nThe drill could not undo its change: ${(error as Error).message}`,
      "run make up, then make ps",
    );
  }
  throw cause;
}

interface AlertQuery {
  readonly metricsUrl: string;
  readonly rule: AlertRule;
  readonly signal: AbortSignal | undefined;
}

async function waitForState(
  query: AlertQuery,
  states: readonly State[],
  withinMs: number,
  breakage?: Breakage,
): Promise<State> {
  for (const deadline = Date.now() + withinMs; ; await pause(query)) {
    const state = await stateOf(query);
    if (states.includes(state)) return state;
    if (Date.now() >= deadline) throw new Late(query, states, state, withinMs);
    if (!states.includes("inactive")) await breakage?.keepUp?.();
  }
}

async function pause({ rule: { name }, signal }: AlertQuery): Promise<void> {
  await sleep(POLL_MS, undefined, signal && { signal }).catch(() => {
    throw new UserError(`${name}: the drill was interrupted`, `run make drill ALERT=${name}`);
  });
}

async function stateOf({ metricsUrl, rule: { name } }: AlertQuery): Promise<State> {
  const own = (await activeAlerts(metricsUrl)).filter(({ labels }) => labels.alertname === name);
  if (own.some(({ state }) => state === "firing")) return "firing";
  return own.length > 0 ? "pending" : "inactive";
}

const busy = ({ name }: AlertRule): UserError =>
  new UserError(
    `${name} is already active; a drill needs an inactive alert`,
    `follow the alert's hint in docs/reference/metrics-and-alerts.md, then make drill ALERT=${name}`,
  );

class Late extends UserError {
  constructor(
    { metricsUrl, rule }: AlertQuery,
    states: readonly State[],
    state: State,
    ms: number,
  ) {
    super(
      `${rule.name} did not become ${states.join(" or ")} within ${Math.round(ms / 1000)} s; it is ${state}`,
      `run make ps, then curl ${metricsUrl}/api/v1/alerts`,
    );
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const ENDED_BY_SIGNAL = 130;

/** Runs `work`; Ctrl+C aborts the signal and waits, a second Ctrl+C exits immediately. */
export async function runInterruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  print: (line: string) => void,
): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(ENDED_BY_SIGNAL);
    print("Interrupted: restoring services. Press Ctrl+C again to exit now.");
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
