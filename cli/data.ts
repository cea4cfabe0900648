import { type Command, Option } from "commander";
import { callable } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { type Statement, totalOf } from "../contract/statement.ts";
import { type Dataset, openDataset, SAMPLE_DATASET } from "../generator/dataset/format.ts";
import { validateDataset } from "../generator/dataset/validate.ts";
import { AFTER_LOAD } from "../generator/service/state.ts";
import { formatCount, formatSeconds } from "../terminal/format.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { startProgress } from "../terminal/progress.ts";
import { clearLayers, requireReplaceable } from "../warehouse/batch/clear-layers.ts";
import { commandOn, placeOf } from "../warehouse/database/command.ts";
import { askForLarge } from "../warehouse/loader/confirmation.ts";
import { expectedOf } from "../warehouse/loader/load.ts";
import type { BrokerLoad, BrokerLoadOptions } from "../warehouse/loader/over-broker.ts";
import {
  loadedBeside,
  loadToContinue,
  openAgain,
  requireSameSite,
} from "../warehouse/loader/replaced.ts";
import { ensureSchema } from "../warehouse/schema/ddl.ts";
import {
  bootstrapOption,
  type DatabaseOption,
  databaseOption,
  jsonOption,
  wholeNumber,
  withBroker,
  withDatabase,
} from "./options.ts";

export interface DataOptions extends DatabaseOption, BrokerLoadOptions {
  readonly dataset: string;
  readonly bootstrap?: string;
  /** Loads only what was appended to a loaded dataset, if nothing else has changed. */
  readonly append?: true;
}

export function registerData(program: Command): void {
  program
    .command("data")
    .description("Load a stored dataset into the pipeline")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .option("--dataset <dir>", "folder of the dataset", SAMPLE_DATASET)
    .option(
      "--limit <rows>",
      "browser rows to load with their sessions; 0 means all",
      wholeNumber(0),
      0,
    )
    .option("--no-reset", "append to the current epoch instead of starting a new one")
    .addOption(
      new Option("--replace", "empty the layers first; default: keep earlier epochs").conflicts(
        "reset",
      ),
    )
    .option("--yes", "confirm that --replace deletes rows; same as YES=1")
    .addOption(
      new Option("--generator <url>", "address of the generator to pause during a reset").env(
        "GENERATOR_URL",
      ),
    )
    .option("--no-pause-generator", "refuse the reset while a generator publishes")
    .option("--force", "re-create the topics, or append to them, while a generator is live")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nWith a broker, publishes to the topics and waits for the database, if given." +
        "\nWithout a broker, writes to stg. Asks above 1,000,000 rows; YES=1 confirms.",
    )
    .action(loadAndReport);
}

/** Loads a dataset. With a broker, waits for the database only if the user named it. */
export async function loadAndReport(options: DataOptions): Promise<void> {
  const dataset = await openDataset(options.dataset);
  const messages = await countSound(options);
  const isOnStack = options.bootstrap !== undefined;
  if (options.limit === 0) await askForLarge(dataset.dir, messages, isOnStack);
  const started = performance.now();
  const { statement, pausedGenerator } = options.bootstrap
    ? await loadThroughTopics(dataset, options, options.isUnnamed ? undefined : options.database)
    : { statement: await loadDirectly(dataset, options), pausedGenerator: null };
  const seconds = (performance.now() - started) / 1000;
  if (options.json) return printJson({ counts: statement.counts, seconds, pausedGenerator });
  reportLoad(statement, seconds, nextCommand(options));
  if (pausedGenerator !== null) reportPause(pausedGenerator);
}

async function loadThroughTopics(
  dataset: Dataset,
  options: DataOptions,
  database: string | undefined,
): Promise<BrokerLoad> {
  // This import is dynamic, because a load without a broker needs no Kafka client.
  const { loadOverBroker } = await import("../warehouse/loader/over-broker.ts");
  return withBroker(
    options.bootstrap,
    database,
    async (broker) => {
      const beside = broker.database && (await replacedWith(broker.database, dataset, options));
      const [first, ...rest] = [...(beside ?? []), dataset];
      const emptied = beside ? ({ replace: true, yes: true } as const) : {};
      let load = await loadOverBroker(first ?? dataset, broker, { ...options, ...emptied });
      for (const one of rest) load = await loadOverBroker(one, broker, options);
      return load;
    },
    "retry; pipeline data starts from scratch",
  );
}

/** Returns the number of messages. @throws UserError if files differ from the manifest or are not UTF-8 */
async function countSound({ dataset: dir }: DataOptions): Promise<number> {
  const { lines: counts, problems } = await validateDataset(dir);
  if (problems.length === 0) return totalOf({ counts });
  throw new UserError(
    `${dir} differs from its manifest: ${problems.join("; ")}. Nothing was loaded`,
    "restore the files, or remove manifest.json to load the remaining lines",
  );
}

function loadDirectly(dataset: Dataset, options: DataOptions): Promise<Statement> {
  return withDatabase(
    options,
    async (db) => {
      const { refuseBrokerFed } = await import("../warehouse/loader/stg-publisher.ts");
      const { loadIntoStg } = await import("../warehouse/loader/stg.ts");
      await ensureSchema(db);
      await refuseBrokerFed(db);
      const continued = options.append && (await loadToContinue(db, dataset));
      const reset = options.reset && !continued;
      const beside = await replacedWith(db, dataset, { ...options, reset });
      if (options.replace) await replaceLayers(db, options);
      if (beside) await clearLayers(db);
      for (const one of beside ?? []) await loadIntoStg(db, one, { limit: 0, reset: true });
      const progress = startProgress("loading");
      const statement = await loadIntoStg(db, dataset, {
        limit: options.limit,
        reset,
        continued,
        onProgress: (count) => progress.update(count / expectedOf(dataset), formatCount(count)),
      });
      progress.done(`${formatCount(totalOf(statement))} messages`);
      return statement;
    },
    "write",
  );
}

/**
 * Returns the datasets to load again; null if the load replaces no earlier one of its dataset.
 * @throws UserError if the marts would have another site
 */
async function replacedWith(
  db: Database,
  dataset: Dataset,
  { reset, replace }: DataOptions,
): Promise<Dataset[] | null> {
  if (replace) return null;
  const { isReplaced, others } = await loadedBeside(db, dataset);
  if (others.length > 0) await requireSameSite(db, dataset);
  if (!reset || !dataset.imported) return null;
  const names = others.map(({ name, imported }) => imported?.name ?? name).join(", ");
  if (names !== "") {
    process.stderr.write(
      `warning: ${db.label} also has ${names}; the marts count all of them. hint: for a workspace of its own, add --database DIR\n`,
    );
  }
  if (!isReplaced) return null;
  const again = await openAgain(dataset.imported.name, others);
  printLine(`Replacing the earlier rows of ${dataset.imported.name}`);
  return again;
}

async function replaceLayers(db: Database, { yes }: DataOptions): Promise<void> {
  await requireReplaceable(db, yes === true);
  await clearLayers(db);
}

function reportPause(name: string): void {
  printLine(
    callable(
      `note: The generator ${name} is paused, because it cannot publish during a load. Leave it paused to keep this load unchanged. To publish again, ${AFTER_LOAD}.`,
    ),
  );
}

const nextCommand = ({ bootstrap, database }: DataOptions): string =>
  commandOn(bootstrap ? {} : placeOf(database), "transform");

function reportLoad(statement: Statement, seconds: number, next: string): void {
  for (const [stream, count] of Object.entries(statement.counts)) {
    printLine(`  ${stream.padEnd(10)} ${formatCount(count).padStart(12)}`);
  }
  const rate = Math.round(totalOf(statement) / seconds);
  printLine(
    `loaded in ${formatSeconds(seconds)} (${formatCount(rate)} messages/s). Next: ${callable(next)}`,
  );
}
