import { type StreamCounts, zeroCounts } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import type { Database, MessageBatch, StreamBatch } from "../../contract/ports.ts";
import type { Site } from "../../contract/site.ts";
import { addBatch, emptyStatement, type Statement, totalOf } from "../../contract/statement.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import type { Dataset } from "../../generator/dataset/format.ts";
import { readBatches } from "../../generator/dataset/reader.ts";
import { sliceBatches } from "../../generator/dataset/slice.ts";

export interface LoadOptions {
  /** Number of browser rows to load, with the other messages of those sessions; 0 loads all. */
  readonly limit: number;
  /** Lines of each file that are loaded already. */
  readonly after?: StreamCounts;
  readonly onProgress?: (messages: number) => void;
}

/** Loads a dataset; memory does not depend on its size. @param send takes a batch, and what is sent with it */
export async function loadDataset(
  dataset: Dataset,
  send: (batch: MessageBatch, sent: Statement) => Promise<void>,
  { limit, after = zeroCounts(), onProgress }: LoadOptions,
): Promise<Statement> {
  const statement = emptyStatement();
  const loaded = { ...after };
  const batches = limit === 0 ? readBatches(dataset) : sliceBatches(dataset, limit);
  for await (const batch of batches) {
    for (const stream of STREAMS) loaded[stream] -= skipFirst(batch[stream], loaded[stream]);
    addBatch(statement, batch);
    await send(batch, statement);
    onProgress?.(totalOf(statement));
  }
  return statement;
}

/** Removes messages from the beginning of a batch. @returns how many it removed, up to `count` */
const skipFirst = ({ keys, values, emittedAt }: StreamBatch, count: number): number => {
  keys.splice(0, count);
  emittedAt.splice(0, count);
  return values.splice(0, count).length;
};

/** Returns the number of messages of a dataset; Infinity without a manifest. */
export const expectedOf = ({ manifest }: Dataset): number =>
  manifest ? totalOf(manifest.manifest) : Number.POSITIVE_INFINITY;

/** Compares stg with what was sent. @throws UserError on a difference */
export async function verifyStored(db: Database, epoch: number, sent: Statement): Promise<void> {
  const what = await storedDifference(db, epoch, sent);
  if (what !== null)
    throw new UserError(`${what}`, "run pipeline data again; it starts from scratch");
}

export async function storedDifference(
  db: Database,
  epoch: number,
  sent: Statement,
): Promise<string | null> {
  const rows = await db.rows<{ topic: string; count: number }>(
    `SELECT _topic AS topic, count() AS count FROM stg.raw FINAL
     WHERE epoch = {epoch:UInt64} GROUP BY topic`,
    { epoch },
  );
  const counts = new Map(rows.map(({ topic, count }) => [topic, count]));
  for (const stream of STREAMS) {
    const { topic } = streams[stream];
    const count = counts.get(topic) ?? 0;
    if (count === sent.counts[stream]) continue;
    return `stg.raw has ${count} ${topic} of this epoch, but its sources sent ${sent.counts[stream]}`;
  }
  return null;
}

/** Stores the site of an epoch's dataset, which the next load of the marts uses. */
export const storeSite = (db: Database, epoch: number, site: Site): Promise<void> =>
  db.run("INSERT INTO stg.site (epoch, settings) SELECT {epoch:UInt64}, {settings:String}", {
    epoch,
    settings: JSON.stringify(site),
  });
