import { join } from "node:path";
import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import type { Statement } from "../contract/statement.ts";
import { type Dataset, openDataset } from "../generator/dataset/format.ts";
import { validateDataset } from "../generator/dataset/validate.ts";
import { formatCount, formatSeconds } from "../terminal/format.ts";
import { startProgress } from "../terminal/progress.ts";
import { commandOn, placeOf } from "../warehouse/database/command.ts";
import { askForLarge } from "../warehouse/loader/confirmation.ts";
import { expectedOf, totalOf } from "../warehouse/loader/load.ts";
import { ensureSchema } from "../warehouse/schema/ensure.ts";
import { bootstrapOption } from "./broker.ts";
import type { DataOptions } from "./data-options.ts";
import { loadOverBroker } from "./data-over-broker.ts";
import { registerDataset } from "./dataset.ts";
import {
  databaseOption,
  jsonOption,
  printJson,
  printLine,
  wholeNumber,
  withDatabase,
} from "./options.ts";

export const SAMPLE_DATASET = join(import.meta.dirname, "../data/sample");

/** Broken lines that a load names before it goes on. */
const LISTED = 5;

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
    .addOption(
      new Option("--replace", "empty the layers first; else earlier epochs still count").conflicts(
        "reset",
      ),
    )
    .option("--yes", "agree to the loss of the rows that --replace removes; YES=1 does it too")
    .addOption(
      new Option("--generator <url>", "address of the generator, which is paused for a reset").env(
        "GENERATOR_URL",
      ),
    )
    .option("--no-pause-generator", "refuse the reset while a generator publishes")
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
  await askForLarge(dataset, options.limit, process.env, options.bootstrap !== undefined);
  const broken = await examine(options);
  const started = performance.now();
  const isNamed = command.getOptionValueSource("database") !== "default";
  const { statement, pausedGenerator } = options.bootstrap
    ? await loadOverBroker(dataset, options, isNamed ? options.database : undefined)
    : { statement: await loadDirectly(dataset, options), pausedGenerator: null };
  const seconds = (performance.now() - started) / 1000;
  if (options.json) {
    return printJson({ counts: statement.counts, broken, seconds, pausedGenerator });
  }
  reportLoad(statement, seconds, nextCommand(options));
  if (pausedGenerator !== null) reportPause(pausedGenerator);
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

/** Straight into stg of the embedded engine. */
function loadDirectly(dataset: Dataset, options: DataOptions): Promise<Statement> {
  return withDatabase(
    options,
    async (db) => {
      const { refuseBrokerFed } = await import("../embedded/stg-publisher.ts");
      const { loadIntoStg } = await import("../warehouse/loader/stg.ts");
      await ensureSchema(db);
      await refuseBrokerFed(db);
      if (options.replace) await replaceLayers(db, options);
      const progress = startProgress("loading");
      const statement = await loadIntoStg(db, dataset, {
        ...{ limit: options.limit, reset: options.reset },
        onProgress: (count) => progress.update(count / expectedOf(dataset), formatCount(count)),
      });
      progress.done(`${formatCount(totalOf(statement))} messages`);
      return statement;
    },
    "write",
  );
}

async function replaceLayers(db: Database, { yes }: DataOptions): Promise<void> {
  const { requireReplaceable } = await import("../warehouse/loader/replace.ts");
  const { clearLayers } = await import("../warehouse/batch/layers.ts");
  await requireReplaceable(db, yes === true);
  await clearLayers(db);
}

function reportPause(name: string): void {
  printLine(
    `The generator ${name} is paused. Leave it paused to keep this load as it is: it does not publish beside a load, and a resume is refused.
  To publish again, choose one:
    pipeline topics --reset, then pipeline generator resume: keeps the rows in the database, and adds a new history and live events
    pipeline generator clean-start --yes --t-end now: removes this load and every other row, writes a new history and goes live (in the scheduler: generator_control, clean_start with agree_to_loss)`,
  );
}

/** A load over a broker is for a stack. */
const nextCommand = ({ bootstrap, database }: DataOptions): string =>
  commandOn(bootstrap ? {} : placeOf(database), "transform");

function reportLoad(statement: Statement, seconds: number, next: string): void {
  for (const [stream, count] of Object.entries(statement.counts)) {
    printLine(`  ${stream.padEnd(10)} ${formatCount(count).padStart(12)}`);
  }
  const rate = Math.round(totalOf(statement) / seconds);
  printLine(`loaded in ${formatSeconds(seconds)} (${formatCount(rate)} messages/s). Next: ${next}`);
}
