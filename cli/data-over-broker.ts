import type { Admin } from "@platformatic/kafka";
import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { readSecret } from "../contract/secret.ts";
import { addStatements, type Statement } from "../contract/statement.ts";
import { STREAMS, type StreamName } from "../contract/streams.ts";
import type { Dataset } from "../generator/dataset/format.ts";
import { formatCount } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import type { PausedGenerator } from "../warehouse/epochs/pause-generator.ts";
import { isGenerator, readSources } from "../warehouse/ledger/source.ts";
import { expectedOf, totalOf, verifyStored } from "../warehouse/loader/load.ts";
import { type Broker, withBroker } from "./broker.ts";
import type { DataOptions } from "./data-options.ts";

export interface BrokerLoad {
  readonly statement: Statement;
  /** Name of the generator that was paused for it; null where none published. */
  readonly pausedGenerator: string | null;
}

/**
 * Publishes a data set into the broker's topics and waits until the named database has stored it.
 * @throws UserError before anything is changed where the load cannot be made
 */
export function loadOverBroker(
  dataset: Dataset,
  options: DataOptions,
  database: string | undefined,
): Promise<BrokerLoad> {
  const work = async (broker: Broker): Promise<BrokerLoad> => {
    const { loadIntoKafka } = await import("../warehouse/loader/kafka.ts");
    await requireLoadable(broker.database, options);
    const paused = await pause(broker.admin, options);
    const { resumeWhereUntouched } = await import("../warehouse/epochs/pause-generator.ts");
    return resumeWhereUntouched(paused, async (onDelete) => {
      const progress = startProgress("loading");
      const { statement, epoch } = await loadIntoKafka(dataset, {
        ...broker,
        limit: options.limit,
        reset: options.reset,
        replace: options.replace === true,
        force: options.force === true,
        onDelete,
        ...(options.lease && { lease: options.lease }),
        onProgress: (count) => progress.update(count / expectedOf(dataset), formatCount(count)),
      });
      progress.done(`${formatCount(totalOf(statement))} messages committed`);
      const { database: db, admin } = broker;
      if (db) await waitForDatabase(db, admin, epoch, statement);
      return { statement, pausedGenerator: paused?.name ?? null };
    });
  };
  return withBroker(options.bootstrap, database, work, "pipeline data loads again from the start");
}

/** @throws UserError where the database would never have the data, or rows would go unasked */
async function requireLoadable(db: Database | null, { replace, yes }: DataOptions): Promise<void> {
  if (db) await requireReader(db);
  if (!replace) return;
  if (!db) {
    throw new UserError(
      "--replace empties the layers of a database, and none is named.",
      "CLICKHOUSE_URL=http://host:port, or --database, names it",
    );
  }
  const { requireReplaceable } = await import("../warehouse/loader/replace.ts");
  await requireReplaceable(db, yes === true);
}

/** Pauses the generator whose address is known, before topics are re-created under it. */
async function pause(admin: Admin, options: DataOptions): Promise<PausedGenerator | null> {
  const { reset, pauseGenerator, force, generator: url } = options;
  if (!reset || !pauseGenerator || force || !url) return null;
  const { pauseForReset } = await import("../warehouse/epochs/pause-generator.ts");
  const address = { url, token: readSecret(process.env, "CONTROL_TOKEN") };
  const paused = await pauseForReset(admin, address);
  // Said at once: a process that is killed from here on leaves the generator paused.
  if (paused) {
    process.stderr.write(
      `The generator ${paused.name} is paused for the load. If this command is interrupted before it deletes a topic, pipeline generator resume undoes that.\n`,
    );
  }
  return paused;
}

/** @throws UserError, before anything is changed, where the database would never have the data */
async function requireReader(db: Database): Promise<void> {
  const { attachedQueues, detachedQueues } = await import("../warehouse/ingest/consumption.ts");
  // What a reset that was cut off has detached is attached again by this one.
  const queues = new Set([...(await attachedQueues(db)), ...(await detachedQueues(db))]);
  const missing = STREAMS.filter((stream) => !queues.has(stream));
  if (missing.length > 0) throw notReading("Nothing was loaded", missing);
}

function notReading(outcome: string, missing: readonly StreamName[] = STREAMS): UserError {
  const what = missing.length === STREAMS.length ? "" : ` ${missing.join(", ")} events`;
  return new UserError(
    `The database does not read${what} from Kafka. ${outcome}.`,
    "make ddl and make topics (in the scheduler: run the DAG ddl_init), then load again",
  );
}

async function waitForDatabase(
  db: Database,
  admin: Admin,
  epoch: number,
  statement: Statement,
): Promise<void> {
  const { untilStored } = await import("../warehouse/loader/delivery.ts");
  const { syncSources } = await import("../warehouse/ledger/broker-sources.ts");
  const progress = startProgress("storing");
  const onProgress = (rows: number) =>
    progress.update(rows / totalOf(statement), formatCount(rows));
  if (!(await untilStored(db, admin, epoch, onProgress))) {
    progress.stop();
    throw notReading("The messages are in the topics");
  }
  await syncSources(db, admin);
  const sources = await readSources(db, epoch);
  // A generator that goes on publishing makes exact counts a matter of the ledger.
  if (!sources.some(isGenerator)) {
    await verifyStored(db, epoch, addStatements(sources.map((source) => source.statement)));
  }
  progress.done("all of it is in stg");
}
