import { UserError } from "../../contract/errors.ts";
import type { GeneratorState } from "../../contract/metrics.ts";
import type { Step } from "../operations/request.ts";

/** Why nothing is being written. `refused` and `failed` need somebody's attention. */
type IdleKind = Exclude<GeneratorState, "running">;

export type ServiceState =
  | { readonly kind: IdleKind; readonly reason: string; readonly hint?: string }
  | {
      readonly kind: "running";
      readonly operation: string;
      readonly step: Step | null;
      readonly reason: string;
      /** Wall time at which the step began, ms. */
      readonly since: number;
    };

/** States in which nothing is written because somebody wanted it so, or all is written. */
const STILL_ON_PURPOSE: ReadonlySet<GeneratorState> = new Set(["standby", "paused", "finished"]);

/** Whether batches should come: it works, is about to, or cannot though it should. */
export const areBatchesDue = ({ kind }: ServiceState): boolean => !STILL_ON_PURPOSE.has(kind);

/** Somebody asked for something while another operation runs, or what makes no sense now. */
export class Conflict extends UserError {}
