import { UserError } from "../../contract/errors.ts";
import { DM_INTERNAL } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { formatCount } from "../../terminal/format.ts";
import { withLease } from "../batch/lease.ts";
import { commandOn } from "../database/command.ts";
import { applyLeases } from "../schema/ddl.ts";
import { findOnlyCopies } from "./findings.ts";

export const REBUILDABLE = ["ods", "dds", "dm"] as const;

/** Re-creates layers. @throws UserError, before any change, if rows would be lost */
export async function rebuildLayer(
  db: Database,
  layer: (typeof REBUILDABLE)[number],
  isAgreed = process.env.YES === "1",
): Promise<void> {
  await applyLeases(db);
  await withLease(db, "ddl --rebuild", async ({ db: held }) => {
    if (layer !== "dm" && !isAgreed) await requireNoExpired(held, layer);
    if (layer === "ods" && !isAgreed) await requireCopies(held);
    // Drops the commits of dm first: dm without its rows must not count as loaded.
    const names = [...REBUILDABLE.slice(REBUILDABLE.indexOf(layer)), DM_INTERNAL].reverse();
    for (const name of names) {
      await held.run(`DROP DATABASE IF EXISTS ${name} SYNC`);
    }
  });
}

async function requireCopies(db: Database): Promise<void> {
  const filled = await db.rows(
    "SELECT 1 FROM system.tables WHERE database = 'ods' AND match(name, '_event(_errors)?$') AND total_rows > 0",
  );
  if (filled.length === 0) return;
  const lost = await findOnlyCopies(db);
  if (lost.length === 0) return;
  const what = lost.map(({ stream, count }) => `${formatCount(count)} ${stream}`).join(", ");
  throw new UserError(
    `ods holds the only copy of ${what} messages, which have expired from stg: a rebuild loses them. Nothing was changed`,
    hintToConfirm(db, "ods"),
  );
}

/** @throws UserError if dds has sessions whose messages have left ods */
async function requireNoExpired(db: Database, layer: string): Promise<void> {
  const tables = await db.rows("EXISTS TABLE dds.expired_click");
  if (!tables.some((row) => Object.values(row as object).includes(1))) return;
  const [found] = await db.rows<{ count: number }>(
    "SELECT count() AS count FROM dds.expired_click WHERE NOT has_left",
  );
  if (!found?.count) return;
  throw new UserError(
    `dds holds the only copy of ${formatCount(found.count)} sessions, whose messages have expired from ods: a rebuild loses them. Nothing was changed`,
    hintToConfirm(db, layer),
  );
}

function hintToConfirm(db: Database, layer: string): string {
  const command = `ddl --rebuild ${layer} --yes`;
  return `to confirm, run \`${commandOn(db, command, `pipeline ${command}`)}\``;
}
