import { UserError } from "../../contract/errors.ts";
import type { GeneratorState } from "../../contract/metrics.ts";
import type { OperationStep } from "../operations/decision.ts";

/** State without an operation. `refused` and `failed` need attention. */
type IdleKind = Exclude<GeneratorState, "running">;

export type ServiceState =
  | { readonly kind: IdleKind; readonly reason: string; readonly hint?: string }
  | {
      readonly kind: "running";
      readonly operation: string;
      readonly step: OperationStep | null;
      readonly reason: string;
      /** Wall-clock time at which the step began, ms. */
      readonly since: number;
    };

const IDLE_ON_PURPOSE: ReadonlySet<GeneratorState> = new Set(["standby", "paused", "finished"]);

export const areBatchesDue = ({ kind }: ServiceState): boolean => !IDLE_ON_PURPOSE.has(kind);

/** Next step after a load: a history that the generator wrote beside its rows would count twice. */
export const AFTER_LOAD =
  "run pipeline generator clean-start --yes --t-end now, which deletes all rows and writes a new history";

export class Conflict extends UserError {}

/** Longest time between batches of a healthy generator, ms. */
const SILENCE_MS = 120_000;

export interface Health {
  readonly ok: boolean;
  readonly reason: string;
}

export interface HealthInput {
  readonly state: ServiceState;
  /** Wall-clock time of the last committed batch, ms; null before the first. */
  readonly lastSuccess: number | null;
  readonly tickMs: number;
  /** Latest error; `at` is wall-clock time, ms. */
  readonly lastError?: { readonly at: number; readonly message: string } | null;
  readonly now: number;
}

export function healthOf({ state, lastSuccess, lastError, tickMs, now }: HealthInput): Health {
  if (state.kind !== "running") {
    const ok = state.kind !== "refused" && state.kind !== "failed";
    return { ok, reason: state.reason || state.kind };
  }
  const limit = Math.max(SILENCE_MS, 2 * tickMs);
  const latest = Math.max(state.since, lastSuccess ?? 0);
  if (now - latest <= limit) return { ok: true, reason: state.step ?? state.operation };
  const why = lastError && lastError.at > latest ? `: ${lastError.message}` : "";
  const seconds = Math.round((now - latest) / 1000);
  return { ok: false, reason: `no batch was committed for ${seconds} s${why}` };
}
