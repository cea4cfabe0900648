import { UserError } from "../../contract/errors.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { withLease } from "../batch/lease.ts";
import { ensureSchema } from "../schema/ddl.ts";
import { readQuery, readStatements } from "../sql.ts";

/** Days that layers keep a session after its last message; 0: for ever. */
export interface Kept {
  readonly ods: number;
  /** dds and dm, which is computed from dds. */
  readonly dm: number;
}

export async function readKept(db: Database): Promise<Kept> {
  const rows = await db.rows<{ layer: string; days: number }>(
    "SELECT layer, days FROM stg.retention FINAL",
  );
  const daysOf = (layer: keyof Kept): number => rows.find((row) => row.layer === layer)?.days ?? 0;
  return { ods: daysOf("ods"), dm: daysOf("dm") };
}

/** @throws UserError if dds and dm would keep less than ods */
export function requireOrder({ ods, dm }: Kept): void {
  if (dm === 0 || (ods > 0 && ods <= dm)) return;
  throw new UserError(
    `The marts cannot keep ${dm} days while ods keeps ${ods === 0 ? "everything" : `${ods} days`}: a mart is computed from the layers below. Nothing was changed`,
    `give ods at most ${dm} days: --ods ${dm} --marts ${dm}; or keep everything: --ods 0 --marts 0`,
  );
}

/** Sets what layers keep; each load follows it. */
export const setKept = (db: Database, { ods, dm }: Kept): Promise<void> =>
  db.run(
    "INSERT INTO stg.retention (layer, days) SELECT 'ods', {ods:UInt32} UNION ALL SELECT 'dm', {dm:UInt32}",
    { ods, dm },
  );

/** What would leave. */
export interface Expiring {
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
  readonly sessions: number;
}

/** Counts what would leave the layers today; changes nothing. */
export async function previewExpiry(db: Database, kept: Kept): Promise<Expiring> {
  await ensureSchema(db);
  return withLease(db, "retain", async ({ id, db: held }) => {
    const [before] = await held.rows<Params>(BEFORE, { ...kept });
    const params = { ...before, expiry_id: id };
    for (const file of ["closing", "find"]) {
      for (const sql of readStatements(`etl/retain/${file}.sql`)) await held.run(sql, params);
    }
    const tables = await held.rows<Expiring["tables"][number]>(
      readQuery("etl/retain/counts.sql"),
      params,
    );
    const [found] = await held.rows<{ sessions: number }>(
      "SELECT count() AS sessions FROM closing",
    );
    await held.run("TRUNCATE TABLE dm_internal.swept_message");
    return { tables, sessions: found?.sessions ?? 0 };
  });
}

const BEFORE = `
  WITH days -> if(days = 0, 0, greatest(0, toUnixTimestamp(toStartOfDay(now('UTC'))) - 86400 * days)) AS before
  SELECT before({ods:UInt32}) AS ods_before, before({dm:UInt32}) AS dm_before`;
