import { UserError } from "../../contract/errors.ts";
import type { Database, Publisher } from "../../contract/ports.ts";
import { addBatch, noStatement, type Statement } from "../../contract/statement.ts";
import { STREAMS } from "../../contract/streams.ts";
import type { Dataset } from "../../generator/dataset/format.ts";
import { readBatches } from "../../generator/dataset/reader.ts";
import { sliceBatches } from "../../generator/dataset/slice.ts";

export interface LoadOptions {
  /** Browser rows to load, with what belongs to them; 0 means all. */
  readonly limit: number;
  readonly onProgress?: (messages: number) => void;
}

/** Memory does not depend on the size. */
export async function loadDataset(
  dataset: Dataset,
  publisher: Publisher,
  { limit, onProgress }: LoadOptions,
): Promise<Statement> {
  const statement = noStatement();
  const batches = limit === 0 ? readBatches(dataset) : sliceBatches(dataset, limit);
  for await (const batch of batches) {
    await publisher.publish(batch);
    addBatch(statement, batch);
    onProgress?.(totalOf(statement));
  }
  await publisher.close();
  return statement;
}

export const totalOf = ({ counts }: Statement): number =>
  STREAMS.reduce((total, stream) => total + counts[stream], 0);

/** Infinity without a manifest. */
export const expectedOf = ({ manifest }: Dataset): number =>
  manifest ? totalOf({ counts: manifest.manifest.counts, days: {} }) : Number.POSITIVE_INFINITY;

/** @throws UserError on a difference */
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
  for (const stream of STREAMS) {
    const [row] = await db.rows<{ count: number }>(
      `SELECT count() AS count FROM stg.${stream}_raw FINAL WHERE epoch = {epoch:UInt64}`,
      { epoch },
    );
    if (row?.count === sent.counts[stream]) continue;
    return `stg.${stream}_raw holds ${row?.count ?? 0} messages of this epoch, its sources sent ${sent.counts[stream]}`;
  }
  return null;
}
