import type { Database } from "../../../contract/ports.ts";
import { addBatch, emptyStatement } from "../../../contract/statement.ts";
import { STREAMS } from "../../../contract/streams.ts";
import type { Micros } from "../../../contract/time.ts";
import { readDeclared } from "../../../warehouse/declared.ts";
import { currentEpoch } from "../../../warehouse/sources/epoch.ts";
import { finishedHistory } from "../../../warehouse/sources/source.ts";
import { storeSource } from "../../../warehouse/sources/stored.ts";
import { generateMessages, type Message, rawMessage, toBatch } from "../../support/messages.ts";
import { load, newEpoch, publish } from "../../support/pipeline.ts";

/** Every table with rows, of the layers and of the batch process. */
const TABLES = readDeclared()
  .filter(({ engine, object }) => engine.endsWith("MergeTree") && !object.endsWith("_build"))
  .map(({ object }) => object);

const keptName = (table: string): string => `kept.${table.replace(".", "_")}`;

/**
 * Builds a finished warehouse to damage: two epochs, three loads, two partitions. The second epoch
 * repeats the first, so that rows are rewritten, superseded and duplicated.
 */
export async function buildBase(db: Database): Promise<void> {
  const first = await generateMessages("first", 6);
  const second = await generateMessages("second", 4);
  const inTime = byEmission([...first.messages, ...broken(Date.UTC(2026, 0, 1, 9) * 1000)]);
  await publishInPartitions(db, inTime.slice(0, inTime.length / 2));
  await load(db, "incremental");
  await publishInPartitions(db, inTime.slice(inTime.length / 2));
  await load(db, "incremental");
  await stateSent(db, "first", inTime);
  await newEpoch(db);
  await publishInPartitions(db, [...byEmission(second.messages), ...inTime.slice(0, 60)]);
  await storeSource(db, await currentEpoch(db), finishedHistory("second", second.manifest));
  await stateSent(db, "repeats", inTime.slice(0, 60));
  await load(db, "incremental");
}

/** Stores the statement of a source without a manifest in the current epoch. */
export async function stateSent(
  db: Database,
  name: string,
  messages: readonly Message[],
): Promise<void> {
  const statement = emptyStatement();
  addBatch(statement, toBatch(messages));
  await storeSource(db, await currentEpoch(db), { name, kind: "load", statement, isFinal: true });
}

export const byEmission = (messages: readonly Message[]): Message[] =>
  messages.toSorted((a, b) => (a.emittedAt ?? 0) - (b.emittedAt ?? 0));

/** One message of each stream that is not JSON. */
const broken = (emittedAt: Micros): Message[] =>
  STREAMS.map((stream) => ({ ...rawMessage(stream, "{broken"), emittedAt }));

/** Publishes, and moves every third message into a second partition before a load. */
export async function publishInPartitions(
  db: Database,
  messages: readonly Message[],
): Promise<void> {
  await publish(db, messages);
  const third = "stored._partition = 0 AND stored._offset % 3 = 1";
  await db.run(
    `INSERT INTO stg.raw SELECT * REPLACE (1 AS _partition) FROM stg.raw AS stored WHERE ${third}`,
  );
  await db.run("DELETE FROM stg.raw WHERE _partition = 0 AND _offset % 3 = 1");
}

/** Keeps a copy of every table, to restore damaged ones. */
export async function keep(db: Database): Promise<void> {
  await db.run("CREATE DATABASE IF NOT EXISTS kept");
  for (const table of TABLES) {
    await db.run(`CREATE TABLE IF NOT EXISTS ${keptName(table)} AS ${table}`);
    await db.run(`TRUNCATE TABLE ${keptName(table)}`);
    await db.run(`INSERT INTO ${keptName(table)} SELECT * FROM ${table}`);
  }
}

export async function restore(db: Database, tables: readonly string[] | "all"): Promise<void> {
  for (const table of tables === "all" ? TABLES : tables) {
    await db.run(`TRUNCATE TABLE ${table}`);
    await db.run(`INSERT INTO ${table} SELECT * FROM ${keptName(table)}`);
  }
}
