import type { Field } from "../../contract/field.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { STREAMS, streams } from "../../contract/streams.ts";

/** Types of the messages of each stream for JSONExtract, such as the parameter `geo_fields`. */
export const FIELD_TYPES = Object.fromEntries(
  STREAMS.map((stream) => {
    const fields = Object.entries<Field>(streams[stream].fields).map(
      ([name, { column, parsed = column }]) => `${name} ${parsed}`,
    );
    return [`${stream}_fields`, `Tuple(${fields.join(", ")})`];
  }),
);

/** Returns an INSERT of typed messages by the names of their columns. The fields of a message are named `field.NAME`. */
export async function insertTyped(
  db: Database,
  table: string,
  select: string,
  params: Params,
): Promise<string> {
  const columns = await db.rows<{ name: string }>(`DESCRIBE (${select})`, params);
  const names = columns.map(({ name }) => name.replace(/^field[.]/, ""));
  return `INSERT INTO ${table} (${names.join(", ")})\n${select}\nSETTINGS ${SETTINGS}`;
}

/** One SELECT feeds two views. */
const SETTINGS = "parallel_view_processing = 1, max_insert_threads = 2";
