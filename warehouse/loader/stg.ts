import { UserError } from "../../contract/errors.ts";
import type { Database, MessageBatch } from "../../contract/ports.ts";
import { addStatements, emptyStatement, type Statement } from "../../contract/statement.ts";
import type { Dataset } from "../../generator/dataset/format.ts";
import { currentEpoch } from "../sources/epoch.ts";
import { isUnfinishedLoad, type Source, sentBy } from "../sources/source.ts";
import { readSources, storeSource } from "../sources/stored.ts";
import {
  type LoadOptions,
  loadDataset,
  storedDifference,
  storeSite,
  verifyStored,
} from "./load.ts";
import { StgPublisher, startEpoch } from "./stg-publisher.ts";

interface StgLoadOptions extends LoadOptions {
  readonly reset: boolean;
  /** Earlier load of the dataset, which goes on with the lines that were appended since. */
  readonly continued?: Source | undefined;
}

/** Loads into stg; first stores the source as not final. @throws UserError for a full epoch */
export async function loadIntoStg(
  db: Database,
  dataset: Dataset,
  options: StgLoadOptions,
): Promise<Statement> {
  if (options.reset) await startEpoch(db, "pipeline data");
  const publisher = await StgPublisher.open(db);
  const epoch = await currentEpoch(db);
  const previous = await readSources(db, epoch);
  await requireAppendable(db, epoch, previous);
  const { continued } = options;
  const name = continued?.name ?? `load ${new Date().toISOString()}`;
  const source = { name, kind: "load" } as const;
  const earlier = continued?.statement ?? emptyStatement();
  await storeSource(db, epoch, { ...source, statement: earlier, isFinal: false });
  const after = earlier.counts;
  const send = (batch: MessageBatch) => publisher.publish(batch);
  const statement = await loadDataset(dataset, send, { ...options, after });
  await publisher.close();
  await verifyStored(db, epoch, addStatements([sentBy(previous), statement]));
  if (dataset.site) await storeSite(db, epoch, dataset.site);
  const isComplete = options.limit === 0 && previous.length === 0;
  const manifest = isComplete ? dataset.manifest?.manifest : undefined;
  const imported = options.limit === 0 ? dataset.imported : null;
  await storeSource(db, epoch, {
    ...source,
    statement: addStatements([earlier, statement]),
    manifest,
    isFinal: true,
    ...(imported && { imported }),
  });
  return statement;
}

/** Refuses to append to an epoch whose reconciliation could never be complete. @throws UserError */
async function requireAppendable(
  db: Database,
  epoch: number,
  previous: readonly Source[],
): Promise<void> {
  const unfinished = previous.find(isUnfinishedLoad);
  const what = unfinished
    ? `The load "${unfinished.name}" was interrupted`
    : await storedDifference(db, epoch, sentBy(previous));
  if (what === null) return;
  throw new UserError(
    `${what}: another load cannot be appended to this epoch. Nothing was loaded`,
    "retry without --no-reset to load in a new epoch; --replace also empties the layers",
  );
}
