import type { Field } from "../contract/field.ts";
import type { Database, Params } from "../contract/ports.ts";
import { type StreamName, streams } from "../contract/streams.ts";
import { readQuery } from "./sql.ts";

/** Parameters of the SELECT that types the messages of a stream, beside its times, lease and ranges of offsets. */
export function typingParams(stream: StreamName): Params {
  const types = Object.entries<Field>(streams[stream].fields).map(
    ([name, { column, parsed = column }]) => `${name} ${parsed}`,
  );
  return { stream, topic: streams[stream].topic, fields: `Tuple(${types.join(", ")})` };
}

/**
 * Returns the SELECT that types the messages of a stream.
 * @param messages the SELECT of the messages
 * @param result the SELECT of the checked messages
 */
export const typingOf = (
  stream: StreamName,
  messages: string,
  result = readQuery("etl/load_ods/typed.sql"),
): string =>
  `WITH message AS (${messages}),
extracted AS (${readQuery("etl/load_ods/extracted.sql")}),
checked AS (${readQuery(`etl/load_ods/${stream}.sql`)})
${result}`;

/** Returns the SELECT that types the planned messages of a stream, with the names of the fields. */
export async function selectTyped(
  db: Database,
  stream: StreamName,
  params: Params,
): Promise<string> {
  const select = typingOf(stream, readQuery("etl/load_ods/planned.sql"));
  const columns = await db.rows<{ name: string }>(`DESCRIBE (${select})`, params);
  // The engine names an element of the tuple `field` so.
  const named = columns.map(({ name }) => `\`${name}\` AS ${name.replace(/^field[.]/, "")}`);
  return `SELECT ${named.join(", ")} FROM (${select})`;
}
