import type { Admin } from "@platformatic/kafka";
import { callable } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { readSecret } from "../contract/secret.ts";
import { addStatements, type Statement } from "../contract/statement.ts";
import { STREAMS, type StreamName } from "../contract/streams.ts";
import type { Dataset } from "../generator/dataset/format.ts";
import { formatCount } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import type { PausedGenerator } from "../warehouse/epochs/pause-generator.ts";
import { expectedOf, totalOf, verifyStored } from "../warehouse/loader/load.ts";
import { isGenerator, readSources } from "../warehouse/reconciliation/source.ts";
import { type Broker, withBroker } from "./broker.ts";
import type { DataOptions } from "./data-options.ts";

export interface BrokerLoad {
  readonly statement: Statement;
  /** Name of the paused generator, or null. */
  readonly pausedGenerator: string | null;
}

/** Loads through the broker and waits for the database, if given. @throws UserError */
export function loadOverBroker(
  dataset: Dataset,
  options: DataOptions,
  database: string | undefined,
): Promise<BrokerLoad> {
  const work = async (broker: Broker): Promise<BrokerLoad> => {
    const { loadIntoKafka } = await import("../warehouse/loader/kafka.ts");
    await requireLoadable(broker.database, options);
    const paused = await pause(broker.admin, options);
    const { resumeUnlessDeleted } = await import("../warehouse/epochs/pause-generator.ts");
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
      const { database: db, admin } = broker;
      if (db) {
        await waitForDatabase(db, admin, epoch, statement);
        const { storeFunnel } = await import("../warehouse/loader/funnel.ts");
        if (dataset.funnel) await storeFunnel(db, epoch, dataset.funnel);
      }
      return { statement, pausedGenerator: paused?.name ?? null };
    });
  };
  return withBroker(options.bootstrap, database, work, "retry; pipeline data starts from scratch");
}

/** Checks the database. @throws UserError if it reads no Kafka, or rows need confirmation */
async function requireLoadable(db: Database | null, { replace, yes }: DataOptions): Promise<void> {
  if (db) await requireReader(db);
  if (!replace) return;
  if (!db) {
    throw new UserError(
      "--replace needs a database: neither --database nor CLICKHOUSE_URL is set",
      "set CLICKHOUSE_URL=http://host:port",
    );
  }
  const { requireReplaceable } = await import("../warehouse/loader/replace.ts");
  await requireReplaceable(db, yes === true);
}

async function pause(admin: Admin, options: DataOptions): Promise<PausedGenerator | null> {
  const { reset, pauseGenerator, force, generator: url } = options;
  if (!reset || !pauseGenerator || force || !url) return null;
  const { pauseForReset } = await import("../warehouse/epochs/pause-generator.ts");
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

async function requireReader(db: Database): Promise<void> {
  const { attachedQueues, detachedQueues } = await import("../warehouse/ingest/consumption.ts");
  // The load re-attaches queues that an interrupted reset left detached.
  const queues = new Set([...(await attachedQueues(db)), ...(await detachedQueues(db))]);
  const missing = STREAMS.filter((stream) => !queues.has(stream));
  if (missing.length > 0) throw notReading("Nothing was loaded", missing);
}

function notReading(outcome: string, missing: readonly StreamName[] = STREAMS): UserError {
  const what = missing.length === STREAMS.length ? "" : ` ${missing.join(", ")} events`;
  return new UserError(
    `The database does not read${what} from Kafka. ${outcome}`,
    "run make ddl and make topics (in Airflow: run the DAG ddl_init), then load again",
  );
}

async function waitForDatabase(
  db: Database,
  admin: Admin,
  epoch: number,
  statement: Statement,
): Promise<void> {
  const { waitForStorage } = await import("../warehouse/loader/delivery.ts");
  const { syncSources } = await import("../warehouse/reconciliation/broker-sources.ts");
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
