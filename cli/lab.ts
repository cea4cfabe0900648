import { join } from "node:path";
import { type Command, Option } from "commander";
import { callable, quote } from "../contract/command-call.ts";
import { UncheckedError, UserError } from "../contract/errors.ts";
import { parseAnswer } from "../labs/answer.ts";
import { dataOf, otherData, prepareData, requireData, withData } from "../labs/data.ts";
import { type Judgement, judge, markOn } from "../labs/judge.ts";
import { findLab, isQuestion, type Lab, readLabs } from "../labs/lab.ts";
import { judgeRepair, prepareDamage } from "../labs/repair.ts";
import { addScore, learnerSeed } from "../labs/scores.ts";
import { labText } from "../labs/text.ts";
import { printLine } from "../terminal/print.ts";
import { refuseSettings } from "../warehouse/demo/config.ts";
import { shortPath, stateRoot } from "../warehouse/engine/workspace.ts";
import { type DatabaseOption, nonEmpty, wholeNumber } from "./options.ts";

const DEFAULT_DIRECTORY = join(stateRoot(), "labs");

export function registerLab(program: Command): void {
  const lab = program.command("lab").description("Solve labs, exercises that mark themselves");
  lab.command("list").description("List the labs").action(list);
  lab
    .command("start")
    .argument("<number>", "number of the lab", wholeNumber(1))
    .description("Print a lab; creates its data if they are missing")
    .addOption(directoryOption())
    .option(
      "--seed <text>",
      "seed of the data, such as the learner's name; default: as before",
      nonEmpty,
    )
    .action((number: number, { database, seed }: DatabaseOption & { seed?: string }) =>
      start(findLab(number), database, seed),
    );
  lab
    .command("hint")
    .argument("<number>", "number of the lab", wholeNumber(1))
    .description("Print a hint")
    .option("--hint <k>", "number of the hint", wholeNumber(1), 1)
    .action((number: number, { hint }: { hint: number }) => printHint(findLab(number), hint));
  lab
    .command("check")
    .argument("<number>", "number of the lab", wholeNumber(1))
    .argument("[answer]", "a number or a file; none for a repair", nonEmpty)
    .description("Check an answer: a number, or a file with a SELECT")
    // Exit code 1 means that the answer is wrong.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .addOption(directoryOption())
    .addHelpText(
      "after",
      "\nExit code 0: right. 1: wrong, or right for the wrong reason: a statement that is wrong on" +
        "\ndata of another seed, or the result of a wrong calculation. 2: unusable answer.",
    )
    .action((number: number, answer: string | undefined, { database }: DatabaseOption) =>
      check(number, answer, database),
    );
}

const directoryOption = (): Option =>
  new Option("--database <dir>", "data directory of the labs")
    .argParser(nonEmpty)
    .default(DEFAULT_DIRECTORY, ".state/labs");

function list(): void {
  for (const { number, title } of readLabs()) printLine(`${`${number}`.padStart(3)}  ${title}`);
  printLine(callable("\nStart one: pipeline lab start 1"));
}

async function start(lab: Lab, database: string, seed = learnerSeed(database)): Promise<void> {
  refuseSettings("lab start");
  const command = `lab start ${lab.number}`;
  await prepareData(lab, database, command, seed);
  if (lab.answer.kind === "repair") {
    await prepareDamage(lab, lab.answer, database, command, seed);
  }
  addScore(database, lab, "started", seed);
  const option = database === DEFAULT_DIRECTORY ? "" : ` --database ${quote(database)}`;
  printLine(callable(labText(lab, shortPath(database), option)));
}

function printHint({ number, hints }: Lab, hint: number): void {
  const at = Math.min(hint, hints.length);
  printLine(`Hint ${at} of ${hints.length}: ${callable(hints[at - 1] ?? "").trim()}`);
  if (at < hints.length) {
    printLine(callable(`Next: pipeline lab hint ${number} --hint ${at + 1}`));
  }
}

async function check(number: number, given: string | undefined, database: string): Promise<void> {
  try {
    const lab = findLab(number);
    const { verdict, reasons } = await judgementOf(lab, given, database);
    addScore(database, lab, verdict, learnerSeed(database));
    for (const line of [`Lab ${number}: ${verdict}`, ...reasons]) printLine(callable(line));
    if (verdict !== "right") process.exitCode = 1;
  } catch (error) {
    if (error instanceof UserError) throw new UncheckedError(error.message, error.hint);
    throw error;
  }
}

async function judgementOf(
  lab: Lab,
  given: string | undefined,
  database: string,
): Promise<Judgement> {
  if (!isQuestion(lab)) {
    requireData(database, lab);
    return judgeRepair(lab, database);
  }
  const answer = parseAnswer(lab, given);
  requireData(database, lab);
  const mark = (directory: string) => withData(directory, (db) => markOn(db, lab, answer));
  const place = dataOf(lab, database);
  const own = await mark(place);
  const isTested = answer.kind === "statement" && own.difference === undefined;
  return judge(own, isTested ? await mark(otherData(place)) : undefined);
}
