import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { readInstance } from "../../generator/operations/instance.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { attachedQueues } from "../ingest/consumption.ts";

/** Requires empty topics, stg and ods; marts are derived. @throws UserError naming the data */
export async function requireClean(admin: Admin, db: Database): Promise<void> {
  if ((await attachedQueues(db)).length === 0) {
    throw new UserError(
      "The database does not read from Kafka",
      "run `make ddl`, then `make topics`",
    );
  }
  const live = await liveInstances(admin);
  if (live.length > 0) {
    throw new UserError(
      `The environment is not empty: generator instance ${live.join(", ")} is publishing`,
      `run \`make generator-down\`, then ${ELSEWHERE}`,
    );
  }
  const found = [...(await filledTables(db)), ...(await sourcesIn(admin))];
  if (found.length === 0) return;
  throw new UserError(
    `The environment is not empty: ${found.join(", ")}. This check deletes all data`,
    `${ELSEWHERE}, or delete this one with make clean`,
  );
}

const ELSEWHERE = "use a separate environment (make up STACK=check OFFSET=1000)";

async function filledTables(db: Database): Promise<string[]> {
  const tables = await db.rows<{ database: string; name: string }>(
    `SELECT database, name FROM system.tables
     WHERE engine LIKE '%MergeTree' AND total_rows > 0
       AND (database = 'stg' AND name LIKE '%\\_raw' OR database = 'ods' AND name NOT LIKE 'load\\_%')
     ORDER BY database, name`,
  );
  const found: string[] = [];
  for (const { database, name } of tables) {
    const [row] = await db.rows<{ rows: number }>(
      `SELECT count() AS rows FROM ${database}.${name}`,
    );
    found.push(`${database}.${name} holds ${row?.rows} rows`);
  }
  return found;
}

async function sourcesIn(admin: Admin): Promise<string[]> {
  const instance = await readInstance(admin, { instance: "", ignoreState: true });
  return [
    ...instance.others.map((other) => `the topics hold data of ${other}`),
    ...instance.strays.map((topic) => `${topic} holds messages of unknown origin`),
  ];
}
