import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../contract/errors.ts";

export interface GeneratorAddress {
  readonly url: string;
  /** Bearer token; without one, only requests without authentication are possible. */
  readonly token: string | undefined;
}

export interface GeneratorStatus {
  readonly instance: string;
  readonly enabled: boolean;
  readonly state: {
    readonly kind: string;
    readonly operation?: string;
    readonly step?: string | null;
    readonly reason: string;
    readonly hint?: string;
  };
  readonly batches: number;
  readonly progress: number | null;
  readonly model: { readonly model_time: string } | null;
}

const TIMEOUT_MS = 60_000;
const POLL_MS = 1_000;

/** Reads `/status`. @throws UserError if the generator does not answer */
export async function readStatus({ url }: GeneratorAddress): Promise<GeneratorStatus> {
  const { body } = await ask(url, "/status", {});
  return body as unknown as GeneratorStatus;
}

/** Sends a request to `/control`. @throws UserError with the generator's message and hint */
export async function sendControl(
  { url, token = "" }: GeneratorAddress,
  request: object,
): Promise<Record<string, unknown>> {
  const { status, isDone, body } = await ask(url, "/control", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  if (isDone) return body;
  const hint = typeof body.hint === "string" ? body.hint : undefined;
  throw new UserError(`The generator refused the request (${status}): ${String(body.error)}`, hint);
}

interface Reply {
  readonly status: number;
  readonly isDone: boolean;
  readonly body: Record<string, unknown>;
}

async function ask(url: string, path: string, init: RequestInit): Promise<Reply> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL(path, url), { ...init, signal });
    const body = (await response.json()) as Reply["body"];
    return { status: response.status, isDone: response.ok, body };
  } catch (error) {
    const cause = ((error as Error).cause ?? error) as Error;
    throw new UserError(
      `The generator at ${url} does not answer: ${cause.message}`,
      "run make ps and make generator-logs, or set GENERATOR_URL to the generator's address",
    );
  }
}

/** Longest time without an answer while waiting, ms; covers a restart of the generator. */
const SILENCE_MS = 60_000;

interface WaitOptions {
  readonly accepts?: readonly string[];
  readonly withinSeconds: number;
  readonly onStatus: (status: GeneratorStatus) => void;
  readonly pollMs?: number;
  readonly silenceMs?: number;
}

/** Waits until an operation is done, across restarts. @throws UserError on failure or timeout */
export async function waitForOperation(
  address: GeneratorAddress,
  waiting: WaitOptions,
): Promise<GeneratorStatus> {
  const { withinSeconds, onStatus, accepts = [] } = waiting;
  const { pollMs = POLL_MS, silenceMs = SILENCE_MS } = waiting;
  const deadline = Date.now() + withinSeconds * 1000;
  let heardAt = Date.now();
  for (; ; await sleep(pollMs)) {
    const status = await readStatus(address).catch((error: unknown) => {
      if (Date.now() - heardAt > silenceMs || Date.now() > deadline) throw error;
      return undefined;
    });
    if (status === undefined) continue;
    heardAt = Date.now();
    onStatus(status);
    if (isDone(status, accepts)) return status;
    if (Date.now() > deadline) {
      throw new UserError(
        `The generator is not done after ${withinSeconds} s: ${status.state.step ?? status.state.reason}`,
        "run pipeline generator status to see the progress",
      );
    }
  }
}

function isDone({ state }: GeneratorStatus, accepts: readonly string[]): boolean {
  const { kind, step, reason, hint } = state;
  if (accepts.includes(kind)) return true;
  if (kind === "finished" || (kind === "running" && step === "live")) return true;
  if (kind === "running" || kind === "starting") return false;
  if (kind === "paused" || kind === "standby") {
    throw new UserError(`The generator is ${kind} and not done: ${reason}`, RESUME[kind]);
  }
  throw new UserError(reason, hint);
}

const RESUME = {
  paused: "run pipeline generator resume",
  standby:
    "repeat the request to resume from the stored state, or run make generator-up to go live",
} as const;
