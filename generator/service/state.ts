import { UserError } from "../../contract/errors.ts";
import type { GeneratorState } from "../../contract/metrics.ts";
import type { Step } from "../operations/request.ts";

/** State without an operation. `refused` and `failed` need attention. */
type IdleKind = Exclude<GeneratorState, "running">;

export type ServiceState =
  | { readonly kind: IdleKind; readonly reason: string; readonly hint?: string }
  | {
      readonly kind: "running";
      readonly operation: string;
      readonly step: Step | null;
      readonly reason: string;
      /** Wall-clock time at which the step began, ms. */
      readonly since: number;
    };

const IDLE_ON_PURPOSE: ReadonlySet<GeneratorState> = new Set(["standby", "paused", "finished"]);

export const areBatchesDue = ({ kind }: ServiceState): boolean => !IDLE_ON_PURPOSE.has(kind);

export class Conflict extends UserError {}
