import type { Database } from "../../../contract/ports.ts";
import { type DeepResult, proveDeep } from "../../../warehouse/reconciliation/deep.ts";
import { prove } from "../../../warehouse/reconciliation/prove.ts";
import {
  differenceOf,
  type Layer,
  type Reconciliation,
} from "../../../warehouse/reconciliation/reconciliation.ts";
import type { Check, Sabotage } from "./sabotage.ts";

/** The layers that each check names. */
export interface Verdicts {
  readonly prove: readonly Layer[];
  readonly deep: readonly Layer[];
  readonly reconciliation: Reconciliation;
  readonly result: DeepResult;
}

export async function checkBoth(db: Database): Promise<Verdicts> {
  const reconciliation = await prove(db);
  const result = await proveDeep(db);
  return { prove: layersOf(reconciliation), deep: result.layers, reconciliation, result };
}

function layersOf({ messages, waiting, layers, lost }: Reconciliation): Layer[] {
  const named = new Set<Layer>(waiting.map(({ layer }) => layer));
  for (const line of layers) if (differenceOf(line) > 0) named.add(line.layer);
  for (const line of messages) {
    if (line.unaccounted === 0) continue;
    if (line.generated !== null && line.generated !== line.raw) named.add("stg");
    if (line.raw !== line.typed + line.rejected + line.pending) named.add("ods");
  }
  if (lost.length > 0) named.add("ods");
  return [...named];
}

/** The checks that should find the damage and do not; empty if all do. */
export const missedBy = (sabotage: Sabotage, verdicts: Verdicts): Check[] =>
  sabotage.foundBy.filter((check) => !isFound(check, sabotage, verdicts));

/**
 * The deep check computes each layer separately, so it must name the broken one first, and only
 * that.
 */
function isFound(check: Check, { layer, spreads }: Sabotage, verdicts: Verdicts): boolean {
  const { prove, deep, reconciliation } = verdicts;
  if (check === "prove") return reconciliation.verdict !== "accounted" && prove.includes(layer);
  return deep[0] === layer && (spreads || deep.length === 1);
}
