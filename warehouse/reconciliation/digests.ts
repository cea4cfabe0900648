import type { Database } from "../../contract/ports.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { type Column, columnsOf } from "../declared.ts";
import type { DigestLine } from "./reconciliation.ts";

const TABLES = [
  ...STREAMS.map((stream) => `ods.${streams[stream].table}`),
  "dds.event",
  "dds.click",
  "dm.event_enriched",
  "dm.session",
  "dm.page_view",
  "dm.visitor",
] as const;

const LOAD_METADATA_COLUMNS = new Set([
  ...["epoch", "_topic", "_partition", "_offset", "_timestamp", "emitted_at", "ingested_at"],
  ...["load_id", "superseded"],
]);

/** Returns digests that ignore load, partition, epoch and order: sums of 64-bit row hashes. */
export async function digests(db: Database): Promise<DigestLine[]> {
  const lines: DigestLine[] = [];
  for (const name of TABLES) {
    const [row] = await db.rows<{ count: number; digest: string }>(
      `SELECT count() AS count, leftPad(hex(sum(sipHash64(${hashedColumns(name).join(", ")}))), 16, '0') AS digest
       FROM ${name}${name.startsWith("ods.") ? COMMITTED : ""}`,
    );
    lines.push({ name, rows: row?.count ?? 0, digest: row?.digest ?? "" });
  }
  return lines;
}

const COMMITTED = " WHERE load_id IN (SELECT load_id FROM ods.load_commit)";

const hashedColumns = (table: string): string[] =>
  columnsOf(table)
    .filter(({ name }) => !LOAD_METADATA_COLUMNS.has(name))
    .map(hashable);

/** Makes a column hashable: a NULL would remove its row from the sum, and markers have no order. */
function hashable({ name, type }: Column): string {
  if (type.startsWith("Nullable(")) return `ifNull(toString(${name}), 'NULL')`;
  return name.endsWith("markers") ? `arraySort(${name})` : name;
}
