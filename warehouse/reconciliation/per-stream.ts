import type { Database, Params } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { messageTables } from "../message-tables.ts";
import { readQuery } from "../sql.ts";

export async function perStream<T>(
  db: Database,
  name: string,
  paramsOf: (stream: StreamName) => Params = () => ({}),
): Promise<T[]> {
  const rows: T[] = [];
  for (const stream of STREAMS) {
    const tables = messageTables(stream);
    rows.push(
      ...(await db.rows<T>(readQuery(`checks/${name}.sql`), {
        ...paramsOf(stream),
        ...tables,
        stream,
      })),
    );
  }
  return rows;
}
