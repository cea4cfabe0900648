import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { callable, quote } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import { requireWritable, writeWhole } from "../contract/files.ts";
import { importAccountSchema } from "../contract/import-account.ts";
import { IMPORT_FILE, REJECTED_FILE } from "../generator/dataset/format.ts";
import { printLine } from "../terminal/print.ts";
import { startProgress } from "../terminal/progress.ts";
import { commandOn, placeOf } from "../warehouse/database/command.ts";
import { stateRoot } from "../warehouse/engine/workspace.ts";
import { filesOf, nameOf } from "../warehouse/import/files.ts";
import type { ImportResult } from "../warehouse/import/import.ts";
import {
  readSource,
  type Source,
  shippedSources,
  sourceNamed,
} from "../warehouse/import/source.ts";
import { accountText } from "../warehouse/reconciliation/imports.ts";
import { loadAndReport } from "./data.ts";
import { type DatabaseOption, databaseOption, nonEmpty } from "./options.ts";

interface ImportOptions extends DatabaseOption {
  readonly from?: Source;
  readonly select?: Source;
  readonly writeSelect?: string;
  readonly out?: string;
  readonly append?: true;
  readonly skipBots?: true;
  readonly load?: true;
}

export function registerImport(program: Command): void {
  program
    .command("import")
    .description("Make a dataset from your own files; a SELECT says what their columns mean")
    .argument(
      "<file...>",
      "CSV, TSV, JSON, Parquet or log, also .gz or .zst; folders, patterns",
      nonEmptyEach,
    )
    .addOption(
      new Option(
        "--from <name>",
        "a known source; default: the one that matches the columns of the files",
      )
        .conflicts("select")
        .argParser(sourceNamed),
    )
    .option("--select <file>", "SELECT of your own", (file) => readSource(nonEmpty(file)))
    .option("--write-select <file>", "write a SELECT for the first file, then exit", nonEmpty)
    .option(
      "--out <dir>",
      "folder of the dataset, which names it; default: .state/imports/FILE",
      nonEmpty,
    )
    .option("--append", "add the files to the dataset; default: replace it")
    .option("--skip-bots", "leave out the events of bots")
    .option("--load", "load the dataset, as pipeline data does")
    .addOption(databaseOption().default(join(stateRoot(), "import"), ".state/import"))
    .addHelpText(
      "after",
      () =>
        `\nSources:\n${shippedSources()
          .map(({ name, source }) => `  ${name.padEnd(18)} ${source}`)
          .join("\n")}`,
    )
    .action(importCommand);
}

const nonEmptyEach = (text: string, previous: readonly string[] = []): string[] => [
  ...previous,
  nonEmpty(text),
];

async function importCommand(paths: string[], options: ImportOptions): Promise<void> {
  const files = filesOf(paths);
  const [first = ""] = files;
  if (options.writeSelect !== undefined) return writeStarter(first, options.writeSelect);
  const out = options.out ?? join(stateRoot(), "imports", nameOf(first));
  const replaced = options.append ? [] : replacedFiles(out, files);
  report(await convert(files, out, options), out);
  if (replaced.length > 0) {
    warn(
      `${out} was of ${replaced.join(", ")}, and is replaced. hint: --append adds files, --out DIR names another dataset`,
    );
  }
  const whole = { dataset: out, limit: 0, reset: true, pauseGenerator: false };
  if (options.load) return loadAndReport({ ...options, ...whole });
  const next = `data --dataset ${quote(out)}`;
  const command = commandOn(placeOf(options.database), next, `pipeline stack run -- ${next}`);
  printLine(callable(`Next: ${command}`));
}

/** Returns the other files of an earlier import; two files may give a dataset the same name. */
function replacedFiles(out: string, files: readonly string[]): string[] {
  const account = join(out, IMPORT_FILE);
  if (!existsSync(account)) return [];
  const earlier = importAccountSchema.parse(JSON.parse(readFileSync(account, "utf8"))).files;
  return earlier.map(({ path }) => path).filter((path) => !files.includes(path));
}

async function writeStarter(file: string, select: string): Promise<void> {
  if (existsSync(select)) {
    throw new UserError(`--write-select ${select}: the file exists`, "choose another name");
  }
  requireWritable(select, `--write-select ${select}`);
  const { starterSelect } = await import("../warehouse/import/starter.ts");
  writeWhole(select, await starterSelect(file), `--write-select ${select}`);
  printLine(
    callable(
      `${select}: check each line. Next: pipeline import ${quote(file)} --select ${quote(select)} --load`,
    ),
  );
}

async function convert(
  files: readonly string[],
  dir: string,
  { from, select, append, skipBots }: ImportOptions,
): Promise<ImportResult> {
  const { importFiles } = await import("../warehouse/import/import.ts");
  const progress = startProgress("importing");
  try {
    return await importFiles(files, select ?? from, {
      dir,
      isAppended: append === true,
      skipsBots: skipBots === true,
      onStep: (ratio, step) => progress.update(ratio, step),
    });
  } finally {
    progress.stop();
  }
}

function report({ source, account, warnings, rejected }: ImportResult, out: string): void {
  printLine(`${out}, read as ${source}: ${accountText(account)}`);
  if (rejected.length > 0) printLine(`rejected rows, all in ${join(out, REJECTED_FILE)}:`);
  for (const { file, row, reason, detail } of rejected) {
    printLine(
      `  ${file}, row ${row}: ${reason}${detail === "" ? "" : ` ${JSON.stringify(detail)}`}`,
    );
  }
  for (const warning of warnings) warn(warning);
}

const warn = (text: string): void => {
  process.stderr.write(`warning: ${text}\n`);
};
