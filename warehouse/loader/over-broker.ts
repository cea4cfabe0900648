import type { Admin } from "@platformatic/kafka";
import type { BrokerConnection } from "../../contract/broker.ts";
import { callable } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { readSecret } from "../../contract/secret.ts";
import { addStatements, type Statement, totalOf } from "../../contract/statement.ts";
import type { Dataset } from "../../generator/dataset/format.ts";
import { formatCount } from "../../terminal/format.ts";
import { startProgress } from "../../terminal/progress.ts";
import { requireReplaceable } from "../batch/clear-layers.ts";
import type { LeaseOptions } from "../batch/lease.ts";
import {
  type PausedGenerator,
  pauseForReset,
  resumeUnlessDeleted,
} from "../epochs/pause-generator.ts";
import { queueState } from "../ingest/consumption.ts";
import { syncSources } from "../sources/broker.ts";
import { isGenerator } from "../sources/source.ts";
import { readSources } from "../sources/stored.ts";
import { loadIntoKafka } from "./kafka.ts";
import { expectedOf, storeSite, verifyStored } from "./load.ts";
import { waitForStorage } from "./wait-for-storage.ts";

export interface OpenBroker {
  readonly connection: BrokerConnection;
  readonly admin: Admin;
  readonly database: Database | null;
}

export interface BrokerLoadOptions {
  readonly limit: number;
  readonly reset: boolean;
  readonly replace?: true;
  readonly yes?: true;
  readonly force?: boolean;
  /** True to pause the generator at `generator` during a reset. */
  readonly pauseGenerator: boolean;
  readonly generator?: string;
  readonly lease?: LeaseOptions;
}

export interface BrokerLoad {
  readonly statement: Statement;
  /** Name of the paused generator, or null. */
  readonly pausedGenerator: string | null;
}

/** Loads through the broker and waits for the database, if given. @throws UserError */
export async function loadOverBroker(
  dataset: Dataset,
  broker: OpenBroker,
  options: BrokerLoadOptions,
): Promise<BrokerLoad> {
  const { database, admin } = broker;
  await requireLoadable(database, options);
  const paused = await pause(admin, options);
  return resumeUnlessDeleted(paused, async (onDelete) => {
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
    if (database) {
      await waitForDatabase(database, admin, epoch, statement);
      if (dataset.site) await storeSite(database, epoch, dataset.site);
    }
    return { statement, pausedGenerator: paused?.name ?? null };
  });
}

/** Checks the database. @throws UserError if it reads no Kafka, or rows need confirmation */
async function requireLoadable(
  db: Database | null,
  { replace, yes }: BrokerLoadOptions,
): Promise<void> {
  // The load re-attaches a queue that an interrupted reset left detached.
  if (db && (await queueState(db)) === "absent") throw notReading("Nothing was loaded");
  if (!replace) return;
  if (!db) {
    throw new UserError(
      "--replace needs a database: neither --database nor CLICKHOUSE_URL is set",
      "set CLICKHOUSE_URL=http://host:port",
    );
  }
  await requireReplaceable(db, yes === true);
}

async function pause(admin: Admin, options: BrokerLoadOptions): Promise<PausedGenerator | null> {
  const { reset, pauseGenerator, force, generator: url } = options;
  if (!reset || !pauseGenerator || force || !url) return null;
  const address = { url, token: readSecret(process.env, "CONTROL_TOKEN") };
  const paused = await pauseForReset(admin, address);
  // This comes first, because a process killed later leaves the generator paused.
  if (paused) {
    process.stderr.write(
      `The generator ${paused.name} is paused for the load. If this command is interrupted before it deletes a topic, run \`${callable("pipeline generator resume")}\`.\n`,
    );
  }
  return paused;
}

const notReading = (outcome: string): UserError =>
  new UserError(
    `The database does not read from Kafka. ${outcome}`,
    "run make ddl and make topics (in Airflow: run the DAG ddl_init), then load again",
  );

async function waitForDatabase(
  db: Database,
  admin: Admin,
  epoch: number,
  statement: Statement,
): Promise<void> {
  const progress = startProgress("storing");
  const onProgress = (rows: number) =>
    progress.update(rows / totalOf(statement), formatCount(rows));
  if (!(await waitForStorage(db, admin, epoch, onProgress))) {
    progress.stop();
    throw notReading("The topics have the messages");
  }
  await syncSources(db, admin);
  const sources = await readSources(db, epoch);
  // While a generator publishes, only the reconciliation can check exact counts.
  if (!sources.some(isGenerator)) {
    await verifyStored(db, epoch, addStatements(sources.map((source) => source.statement)));
  }
  progress.done("stg has all messages");
}
