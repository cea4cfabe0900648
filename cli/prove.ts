import { type Command, Option } from "commander";
import { UncheckedError, UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { printJson, printLine } from "../terminal/print.ts";
import {
  proveDeepDuringLoads,
  proveDuringLoads,
  proveWithFeed,
} from "../warehouse/reconciliation/concurrent-loads.ts";
import { renderDeep } from "../warehouse/reconciliation/deep/render.ts";
import type { DeepResult } from "../warehouse/reconciliation/deep/result.ts";
import type { Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../warehouse/reconciliation/render.ts";
import {
  requireChecked,
  requireComplete,
  requireEqual,
  requireNothingLost,
} from "../warehouse/reconciliation/requirements.ts";
import { readSchedule, withSchedule } from "../warehouse/reconciliation/schedule.ts";
import {
  bootstrapOption,
  type DatabaseOption,
  databaseOption,
  jsonOption,
  wholeNumber,
  withBroker,
  withDatabase,
} from "./options.ts";

interface ProveOptions extends DatabaseOption {
  readonly bootstrap?: string;
  /** Longest accepted wait of a message, seconds. */
  readonly allowPending: number;
  /** Interval of scheduled loads, seconds. */
  readonly loadEvery?: number;
  readonly deep?: true;
}

export function registerProve(program: Command): void {
  program
    .command("prove")
    // Exit code 1 means that messages are missing or duplicated.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .description("Compare the messages sent with the content of each layer")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .addOption(
      new Option("--allow-pending <seconds>", "succeed if no message has waited longer")
        .env("ALLOW_PENDING_SECONDS")
        .argParser(wholeNumber(0))
        .default(0),
    )
    .addOption(
      new Option(
        "--load-every <seconds>",
        "interval of scheduled loads; succeed if messages only wait for the next one",
      )
        .env("LOAD_EVERY_SECONDS")
        .argParser(wholeNumber(1)),
    )
    .option("--deep", "also compare every table with its SELECT, computed again")
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nExit code 0: no message is missing or duplicated. 1: messages are missing or duplicated." +
        "\n3: incomplete, messages wait for a reader or a step. 2: the reconciliation could not run." +
        "\nWith a broker, a live generator's message counts are read from its state topic.",
    )
    .action(async (options: ProveOptions) => {
      const checked = await check(options);
      const { reconciliation, deep } = checked;
      print(checked, options);
      // The deep check comes first, because it names the layer to rebuild.
      if (deep) requireEqual(deep, reconciliation);
      requireNothingLost(reconciliation);
      requireComplete(reconciliation, options.allowPending);
      if (deep) requireChecked(deep, reconciliation.database);
      const { verdict, isOnTime } = reconciliation;
      if (verdict === "incomplete" && !isOnTime && !options.json) {
        printLine(
          `Messages wait, none longer than ${options.allowPending} s: normal between two loads.`,
        );
      }
    });
}

interface Checked {
  readonly reconciliation: Reconciliation;
  readonly deep: DeepResult | undefined;
}

function print({ reconciliation, deep }: Checked, { json }: ProveOptions): void {
  if (json) {
    printJson({ ...reconciliation, ...(deep && { deep }) });
    return;
  }
  const text = renderReconciliation(reconciliation);
  printLine([text, ...(deep ? [renderDeep(deep)] : [])].join("\n"));
}

/** Runs the checks; an unreadable source proves no loss. @throws UncheckedError */
async function check(options: ProveOptions): Promise<Checked> {
  const { bootstrap, deep, loadEvery } = options;
  try {
    return await withDatabase(options, async (db) => {
      const found = await proveWith(db, bootstrap);
      return {
        reconciliation:
          loadEvery === undefined ? found : withSchedule(found, await readSchedule(db, loadEvery)),
        deep: deep ? await proveDeepDuringLoads(db) : undefined,
      };
    });
  } catch (error) {
    if (error instanceof UserError) throw new UncheckedError(error.message, error.hint);
    throw error;
  }
}

export async function proveWith(
  db: Database,
  bootstrap: string | undefined,
): Promise<Reconciliation> {
  if (!bootstrap) return proveDuringLoads(db);
  const { openBrokerFeed } = await import("../warehouse/reconciliation/broker-feed.ts");
  return withBroker(bootstrap, undefined, ({ admin }) =>
    proveWithFeed(db, (isRetry) => openBrokerFeed(db, admin, isRetry)),
  );
}
