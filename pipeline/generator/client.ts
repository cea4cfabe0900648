import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../../contract/errors.ts";

export interface GeneratorAddress {
  readonly url: string;
  /** Bearer token; undefined: only what needs none. */
  readonly token: string | undefined;
}

/** What a running generator tells of itself on /status; fields it adds are kept. */
export interface GeneratorStatus {
  readonly stand: string;
  readonly enabled: boolean;
  readonly state: {
    readonly kind: string;
    readonly operation?: string;
    readonly step?: string | null;
    readonly reason: string;
    readonly next?: string;
  };
  readonly batches: number;
  readonly progress: number | null;
  readonly model: { readonly model_time: string } | null;
}

const TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 1_000;

/** @throws UserError when it does not answer */
export async function readStatus({ url }: GeneratorAddress): Promise<GeneratorStatus> {
  const response = await ask(url, "/status", {});
  return (await response.json()) as GeneratorStatus;
}

/**
 * Sends a request to the control endpoint.
 * @throws UserError with the generator's own reason and cure when it refuses
 */
export async function sendControl(
  { url, token = "" }: GeneratorAddress,
  request: object,
): Promise<Record<string, unknown>> {
  const response = await ask(url, "/control", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const body = (await response.json()) as Record<string, unknown>;
  if (response.ok) return body;
  const next = typeof body.next === "string" ? body.next : undefined;
  throw new UserError(`The generator refuses (${response.status}): ${String(body.error)}`, next);
}

async function ask(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(new URL(path, url), { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    throw new UserError(
      `The generator at ${url} does not answer: ${(cause as Error).message}`,
      "make ps, make generator-logs; GENERATOR_URL names another address",
    );
  }
}

/**
 * Waits until the generator is live, or has ended what it was asked for.
 * @throws UserError when it failed, or is not there within the time
 */
export async function untilDone(
  address: GeneratorAddress,
  withinSeconds: number,
  onStatus: (status: GeneratorStatus) => void,
): Promise<GeneratorStatus> {
  for (const deadline = Date.now() + withinSeconds * 1000; ; await sleep(LOOK_EVERY_MS)) {
    const status = await readStatus(address);
    const { kind, step, reason, next } = status.state;
    onStatus(status);
    if (kind === "failed" || kind === "refused") throw new UserError(reason, next);
    if (kind !== "running" || step === "live") return status;
    if (Date.now() > deadline) {
      throw new UserError(
        `The generator is not done after ${withinSeconds} s: ${step ?? reason}`,
        "pipeline generator status",
      );
    }
  }
}
