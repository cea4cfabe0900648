import { IncompleteError, UserError } from "../../contract/errors.ts";
import { formatNumber } from "../../terminal/format.ts";
import { hintToRun } from "../database/command.ts";
import type { DeepResult } from "./deep/result.ts";
import { findingsOf, rebuild, rebuildOds } from "./findings.ts";
import { isBetweenLoads, type Reconciliation } from "./reconciliation.ts";
import { waitingText } from "./render.ts";

/** Requires complete layers. @throws UserError when a message is missing or duplicated */
export function requireNothingLost(reconciliation: Reconciliation): void {
  if (reconciliation.unaccounted === 0) return;
  const [first] = findingsOf(reconciliation);
  throw new UserError(
    `${formatNumber(reconciliation.unaccounted, "message")} unaccounted for${first ? `: ${first.what}` : ""}`,
    first?.hint ?? rebuildOds(reconciliation.onlyCopies, reconciliation.database),
  );
}

/** Requires equal rows. @throws UserError when a row differs from what the layer below gives */
export function requireEqual(
  { lines, layers: [layer], onlyCopies, views }: DeepResult,
  { database }: Pick<Reconciliation, "database">,
): void {
  const [view] = views;
  if (layer === undefined && view !== undefined) {
    throw new UserError(
      `The view ${view.object} differs from sql/ddl: ${view.what}.`,
      hintToRun(database, "ddl"),
    );
  }
  if (layer === undefined) return;
  const differing = lines.filter(({ isEqual }) => !isEqual).length;
  throw new UserError(
    `${layer} differs from what the layer below gives in ${formatNumber(differing, "line")}`,
    layer === "ods" ? rebuildOds(onlyCopies, database) : rebuild(layer, database),
  );
}

export function requireChecked({ unchecked: [first] }: DeepResult, database: string | null): void {
  if (first === undefined) return;
  throw new IncompleteError(
    `${first.layer}.${first.table} was not compared: ${first.reason}`,
    `${hintToRun(database, "transform")}, then retry`,
  );
}

/** Limits waiting. @throws IncompleteError when messages lack a reader or wait too long */
export function requireComplete(reconciliation: Reconciliation, allowedSeconds = 0): void {
  if (reconciliation.verdict !== "incomplete" || reconciliation.isOnTime) return;
  if (isBetweenLoads(reconciliation, allowedSeconds)) return;
  const [first] = reconciliation.waiting;
  throw new IncompleteError(
    `The reconciliation is incomplete: ${first ? waitingText(first) : "load_dds has not finished"}`,
    first?.hint ?? hintToRun(reconciliation.database, "transform"),
  );
}
