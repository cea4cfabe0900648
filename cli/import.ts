import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { callable } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import { requireWritable, writeWhole } from "../contract/files.ts";
import { formatCount, formatNumber } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { startProgress } from "../terminal/progress.ts";
import { commandOn, placeOf } from "../warehouse/database/command.ts";
import { isServer, stateRoot } from "../warehouse/database/workspace.ts";
import type { ImportSummary } from "../warehouse/import/output.ts";
import { loadAndReport } from "./data.ts";
import { type DatabaseOption, databaseOption, nonEmpty } from "./options.ts";

interface ImportOptions extends DatabaseOption {
  readonly mapping?: string;
  readonly out?: string;
  readonly writeMapping?: string;
  readonly load?: true;
}

export function registerImport(program: Command): void {
  program
    .command("import")
    .description("Convert your own CSV or JSON lines into a data set")
    .argument(
      "<file...>",
      ".csv, .tsv, .txt, .jsonl, .ndjson or .json, each also .gz",
      nonEmptyEach,
    )
    .option(
      "--write-mapping <file>",
      "write a mapping guessed from the first file, then exit",
      nonEmpty,
    )
    .option("--mapping <file>", "mapping file: which column is which field", nonEmpty)
    .option("--out <dir>", "folder of the data set; replaces an earlier import", nonEmpty)
    .option("--load", "load the data set, as pipeline data does")
    .addOption(databaseOption().default(join(stateRoot(), "import"), ".state/import"))
    .action(importCommand);
}

const nonEmptyEach = (text: string, previous: readonly string[] = []): string[] => [
  ...previous,
  nonEmpty(text),
];

async function importCommand(files: string[], options: ImportOptions): Promise<void> {
  const { writeMapping, mapping, out } = options;
  if (writeMapping !== undefined) return writeStarter(files[0] ?? "", writeMapping);
  if (mapping === undefined || out === undefined) {
    const missing = mapping === undefined ? "--mapping FILE" : "--out DIR";
    throw new UserError(
      `${missing} is missing: an import needs a mapping and a folder to write`,
      mapping === undefined
        ? `run \`pipeline import ${files[0]} --write-mapping mapping.yaml\``
        : `run \`pipeline import ${files.join(" ")} --mapping ${mapping} --out my-data\``,
    );
  }
  const summary = await convert(files, mapping, out);
  report(summary, out);
  const { database } = options;
  if (!options.load) {
    const next = `data --dataset ${out}`;
    return printLine(
      callable(`Next: ${commandOn(placeOf(database), next, `pipeline stack run -- ${next}`)}`),
    );
  }
  const isOwn = !isServer(database);
  const others = isOwn ? otherDatasets(database, out) : [];
  warnOf(others, database);
  const whole = { limit: 0, reset: true, pauseGenerator: false };
  await loadAndReport({ dataset: out, database, ...whole }, false);
  if (isOwn) {
    writeFileSync(join(database, DATASETS_FILE), `${[...others, resolve(out)].join("\n")}\n`);
  }
}

/** File of a workspace with the folders of the data sets that imports loaded, one a line. */
const DATASETS_FILE = "imported-data-set";

function otherDatasets(database: string, out: string): string[] {
  const file = join(database, DATASETS_FILE);
  const loaded = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return loaded.filter((folder) => folder !== "" && folder !== resolve(out));
}

function warnOf(others: readonly string[], database: string): void {
  const [other, ...more] = others;
  if (other === undefined) return;
  const what =
    more.length === 0
      ? `the data set ${other}; the marts count both`
      : `${others.length} other data sets; the marts count all of them`;
  process.stderr.write(
    `warning: ${database} already has ${what}. hint: for a workspace of its own, add --database DIR\n`,
  );
}

async function writeStarter(file: string, mapping: string): Promise<void> {
  if (existsSync(mapping)) {
    throw new UserError(`--write-mapping ${mapping}: the file exists`, "choose another name");
  }
  requireWritable(mapping, `--write-mapping ${mapping}`);
  const { starterMapping } = await import("../warehouse/import/starter.ts");
  writeWhole(mapping, await starterMapping(file), `--write-mapping ${mapping}`);
  printLine(
    callable(
      `${mapping}: check each line. Next: pipeline import ${file} --mapping ${mapping} --out my-data --load`,
    ),
  );
}

async function convert(files: string[], mapping: string, out: string): Promise<ImportSummary> {
  // This import is dynamic, because only this command needs the CSV parser.
  const { readMapping } = await import("../warehouse/import/mapping.ts");
  const { importFiles } = await import("../warehouse/import/write.ts");
  const parsed = readMapping(mapping);
  const progress = startProgress("importing");
  try {
    return await importFiles(files, parsed, out, (ratio, rows) =>
      progress.update(ratio, formatNumber(rows, "row")),
    );
  } finally {
    progress.stop();
  }
}

function report({ rows, counts, unmapped, first }: ImportSummary, out: string): void {
  printLine(`${out}: ${formatNumber(rows - unmapped, "row")} of ${formatCount(rows)} mapped`);
  for (const [stream, count] of Object.entries(counts)) {
    printLine(`  ${stream.padEnd(10)} ${formatCount(count).padStart(12)}`);
  }
  if (unmapped === 0) return;
  printLine(`${formatNumber(unmapped, "row")} not mapped, listed in ${out}/unmapped.jsonl:`);
  for (const { file, line, reason } of first) printLine(`  ${file}:${line}: ${reason}`);
}
