import { join } from "node:path";
import type { Admin } from "@platformatic/kafka";
import type { Command } from "commander";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { addStatements, type Statement } from "../../contract/statement.ts";
import { type Dataset, openDataset } from "../../generator/dataset/format.ts";
import { validateDataset } from "../../generator/dataset/validate.ts";
import { currentEpoch } from "../ledger/prove.ts";
import { readSources, storeSource } from "../ledger/source.ts";
import { askForLarge } from "../loader/consent.ts";
import { loadDataset, totalOf, verifyStored } from "../loader/load.ts";
import { formatCount, formatSeconds } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { type Broker, bootstrapOption, withBroker } from "./broker.ts";
import { registerDataset } from "./dataset.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  printJson,
  printLine,
  wholeNumber,
  withDatabase,
} from "./options.ts";

export const SAMPLE_DATASET = join(import.meta.dirname, "../../data/sample");

/** Broken lines that a load names before it goes on. */
const LISTED = 5;

interface DataOptions extends DatabaseOption {
  readonly dataset: string;
  readonly limit: number;
  readonly reset: boolean;
  readonly bootstrap?: string;
  readonly force?: boolean;
  readonly json?: true;
}

export function registerData(program: Command): void {
  program
    .command("data")
    .description("Load a stored data set into the pipeline")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .option("--dataset <dir>", "folder of the data set", SAMPLE_DATASET)
    .option(
      "--limit <rows>",
      "browser rows to load with their visits; 0 means all",
      wholeNumber(0),
      0,
    )
    .option("--no-reset", "append to what is there instead of starting a new epoch")
    .option("--force", "recreate the topics, or append to them, although a generator is live")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nWith a broker the set goes into its topics; a database that is named is waited for." +
        "\nWithout one it goes straight into stg. Above 1,000,000 rows it asks; YES=1 answers.",
    )
    .action(loadCommand);

  registerDataset(program);
}

async function loadCommand(options: DataOptions, command: Command): Promise<void> {
  const dataset = await openDataset(options.dataset);
  await askForLarge(dataset, options.limit);
  const broken = await examine(options);
  const started = performance.now();
  const isNamed = command.getOptionValueSource("database") !== "default";
  const sent = options.bootstrap
    ? await loadOverBroker(dataset, options, isNamed ? options.database : undefined)
    : await loadDirectly(dataset, options);
  const seconds = (performance.now() - started) / 1000;
  if (options.json) printJson({ counts: sent.counts, broken, seconds });
  else reportLoad(sent, seconds);
}

/**
 * A set that is not what its manifest says is refused before anything is touched. Broken lines are
 * named and loaded as they are: they become rows of the error tables. Gives their number.
 */
async function examine({ dataset: dir, json }: DataOptions): Promise<number> {
  const { ok, broken, brokenLines, problems } = await validateDataset(dir);
  if (problems.length > 0) {
    throw new UserError(
      `${dir} is not what its manifest says: ${problems.join("; ")}. Nothing was loaded.`,
      "restore the files, or remove manifest.json to load the lines that are there",
    );
  }
  const count = totalOf({ counts: broken, days: {} });
  if (count === 0 || json) return count;
  const total = count + totalOf({ counts: ok, days: {} });
  printLine(
    `${formatCount(count)} of ${formatCount(total)} lines are broken and load as they are:`,
  );
  for (const { file, line, reason } of brokenLines.slice(0, LISTED)) {
    printLine(`  ${file}:${line}: ${reason}`);
  }
  if (count > LISTED) printLine(`  … all of them: pipeline dataset check ${dir}`);
  return count;
}

/** Into the broker's topics, and on until the database has it, where one is named. */
function loadOverBroker(
  dataset: Dataset,
  { bootstrap, limit, reset, force = false }: DataOptions,
  database: string | undefined,
): Promise<Statement> {
  const work = async ({ connection, admin, database: db }: Broker): Promise<Statement> => {
    const { loadIntoKafka } = await import("../loader/kafka.ts");
    if (db) await requireReader(db);
    const progress = startProgress("loading");
    const { statement, epoch } = await loadIntoKafka(dataset, {
      connection,
      admin,
      database: db,
      limit,
      reset,
      force,
      onProgress: (count) => progress.update(count / expectedOf(dataset), formatCount(count)),
    });
    progress.done(`${formatCount(totalOf(statement))} messages committed`);
    if (db) await waitForDatabase(db, admin, epoch, statement);
    return statement;
  };
  return withBroker(bootstrap, database, work, "pipeline data loads again from the start");
}

/** @throws UserError, before anything is touched, where the database would never have the data */
async function requireReader(db: Database): Promise<void> {
  const { attachedQueues, detachedQueues } = await import("../broker/consumption.ts");
  // What a reset that was cut off has detached is attached again by this one.
  const queues = [...(await attachedQueues(db)), ...(await detachedQueues(db))];
  if (queues.length === 0) throw notReading("Nothing was loaded");
}

const notReading = (outcome: string): UserError =>
  new UserError(
    `The database does not read from Kafka. ${outcome}.`,
    "make ddl and make topics (in the scheduler: run the DAG ddl_init), then load again",
  );

async function waitForDatabase(
  db: Database,
  admin: Admin,
  epoch: number,
  statement: Statement,
): Promise<void> {
  const { untilStored } = await import("../loader/arrival.ts");
  const { syncSources } = await import("../ledger/broker-sources.ts");
  const progress = startProgress("storing");
  const onProgress = (rows: number) =>
    progress.update(rows / totalOf(statement), formatCount(rows));
  if (!(await untilStored(db, admin, epoch, onProgress))) {
    progress.stop();
    throw notReading("The messages stand in the topics");
  }
  await syncSources(db, admin);
  const sources = await readSources(db, epoch);
  // A generator that goes on publishing makes exact counts a matter of the ledger.
  if (sources.every(({ name }) => name.startsWith("load-"))) {
    await verifyStored(db, epoch, addStatements(sources.map((source) => source.statement)));
  }
  progress.done("all of it is in stg");
}

/** Straight into stg of the embedded engine. */
function loadDirectly(dataset: Dataset, options: DataOptions): Promise<Statement> {
  return withDatabase(options, async (db) => {
    const { StgPublisher, startEpoch } = await import("../../embedded/stg-publisher.ts");
    if (options.reset) await startEpoch(db, "pipeline data");
    const publisher = await StgPublisher.open(db);
    const progress = startProgress("loading");
    const statement = await loadDataset(dataset, publisher, {
      limit: options.limit,
      onProgress: (count) => progress.update(count / expectedOf(dataset), formatCount(count)),
    });
    progress.done(`${formatCount(totalOf(statement))} messages`);
    const epoch = await currentEpoch(db);
    const former = (await readSources(db, epoch)).map((source) => source.statement);
    await verifyStored(db, epoch, addStatements([...former, statement]));
    const isComplete = options.limit === 0 && former.length === 0;
    const manifest = isComplete ? dataset.manifest?.manifest : undefined;
    await storeSource(db, epoch, { name: `load ${new Date().toISOString()}`, statement, manifest });
    return statement;
  });
}

/** Lines of the whole set, for the progress bar: a guess where there is no manifest. */
const expectedOf = ({ manifest }: Dataset): number =>
  manifest ? totalOf({ counts: manifest.manifest.counts, days: {} }) : Number.POSITIVE_INFINITY;

function reportLoad(statement: Statement, seconds: number): void {
  for (const [stream, count] of Object.entries(statement.counts)) {
    printLine(`  ${stream.padEnd(10)} ${formatCount(count).padStart(12)}`);
  }
  const rate = Math.round(totalOf(statement) / seconds);
  printLine(
    `loaded in ${formatSeconds(seconds)} (${formatCount(rate)} messages/s). Next: make transform`,
  );
}
