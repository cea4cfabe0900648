import type { Field } from "../../contract/field.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { readQuery } from "../sql.ts";

/** Types of the messages of each stream for JSONExtract, such as the parameter `geo_fields`. */
export const FIELD_TYPES = Object.fromEntries(
  STREAMS.map((stream) => {
    const fields = Object.entries<Field>(streams[stream].fields).map(
      ([name, { column, parsed = column }]) => `${name} ${parsed}`,
    );
    return [`${stream}_fields`, `Tuple(${fields.join(", ")})`];
  }),
);

/** Returns the SELECT that types the messages of a stream; the parameters are FIELD_TYPES and offsets. */
export async function selectTyped(
  db: Database,
  stream: StreamName,
  params: Params,
): Promise<string> {
  const select = readQuery(`etl/load_ods/${stream}.sql`);
  const columns = await db.rows<{ name: string }>(`DESCRIBE (${select})`, params);
  // The engine names an element of the tuple `field` so.
  const named = columns.map(({ name }) => `\`${name}\` AS ${name.replace(/^field[.]/, "")}`);
  return `SELECT ${named.join(", ")} FROM (${select})`;
}
