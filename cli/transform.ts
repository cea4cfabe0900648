import type { Command } from "commander";
import type { Database } from "../contract/ports.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { findStep, readPlan } from "../warehouse/batch/plan.ts";
import { runStep, type StepResult } from "../warehouse/batch/run-step.ts";
import { stepLine, transform } from "../warehouse/batch/transform.ts";
import { placeOf } from "../warehouse/database/command.ts";
import { ensureSchema } from "../warehouse/schema/ddl.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  wholeNumber,
  withDatabase,
} from "./options.ts";

interface BatchOptions extends DatabaseOption {
  readonly fullRefresh: boolean;
  readonly wait?: number;
}

const MIN_WAIT_SECONDS = 30;
const DEFAULT_WAIT_SECONDS = 600;

export function registerTransform(program: Command): void {
  addOptions(program.command("transform"))
    .description("Run the batch process: ods, dds, the integrity gate, dm")
    .action(async (options: BatchOptions) => {
      const results = await withSchema(options, (db) =>
        transform(db, {
          ...stepOptions(options),
          ...(options.json ? {} : { onStep: (result) => printLine(stepLine(result)) }),
        }),
      );
      if (options.json) printJson(results);
      else if (hasNoNewData(results)) printLine("No new data in stg since the last load.");
    });

  addOptions(program.command("step"))
    .argument(
      "<id>",
      `allowed: ${readPlan()
        .steps.map((step) => step.id)
        .join(", ")}`,
    )
    .description("Run one step of the batch process")
    .action(async (id: string, options: BatchOptions) => {
      const plan = readPlan();
      const step = findStep(plan, id);
      const result = await withSchema(options, (db) =>
        runStep(db, plan, step, stepOptions(options)),
      );
      if (options.json) printJson(result);
      else printLine(stepLine(result));
    });

  program
    .command("plan")
    .description("Print the steps of the batch process in order")
    .addOption(jsonOption())
    .action(({ json }: { json?: true }) => {
      const { steps } = readPlan();
      if (json) printJson(steps);
      else for (const step of steps) printLine(`${step.id.padEnd(24)} ${step.about}`);
    });
}

const hasNoNewData = (results: readonly StepResult[]): boolean =>
  results.some(
    ({ id, report }) => id === "load_ods" && report.typed === 0 && report.rejected === 0,
  );

const withSchema = <T>(options: BatchOptions, work: (db: Database) => Promise<T>): Promise<T> =>
  withDatabase(options, (db) => ensureSchema(db).then(() => work(db)), "write");

const addOptions = (command: Command): Command =>
  command
    .addOption(databaseOption())
    .option("--no-full-refresh", "load only new data; the result equals a full refresh")
    .option(
      "--wait <seconds>",
      `how long to wait for data in stg, at least ${MIN_WAIT_SECONDS}; default ${DEFAULT_WAIT_SECONDS} on a server, none in a workspace`,
      wholeNumber(MIN_WAIT_SECONDS),
    )
    .addOption(jsonOption());

const stepOptions = ({ fullRefresh, wait, database }: BatchOptions) => ({
  fullRefresh,
  waitSeconds: wait ?? (placeOf(database).directory ? 0 : DEFAULT_WAIT_SECONDS),
});
