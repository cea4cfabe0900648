import { type Command, Option } from "commander";
import { IncompleteError, UncheckedError, UserError } from "../contract/errors.ts";
import type { Database } from "../contract/ports.ts";
import { formatNumber } from "../terminal/format.ts";
import { hintToRun } from "../warehouse/database/command.ts";
import {
  proveDeepDuringLoads,
  proveDuringLoads,
  proveWithFeed,
} from "../warehouse/reconciliation/concurrent-loads.ts";
import { renderDeep } from "../warehouse/reconciliation/deep/render.ts";
import type { DeepResult } from "../warehouse/reconciliation/deep/result.ts";
import { findingsOf, rebuild, rebuildOds } from "../warehouse/reconciliation/findings.ts";
import { isBetweenLoads, type Reconciliation } from "../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation, waitingText } from "../warehouse/reconciliation/render.ts";
import { bootstrapOption, withBroker } from "./broker.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  printJson,
  printLine,
  wholeNumber,
  withDatabase,
} from "./options.ts";

interface ProveOptions extends DatabaseOption {
  readonly bootstrap?: string;
  /** Longest accepted wait of a message, seconds. */
  readonly allowPending: number;
  readonly deep?: true;
  readonly json?: true;
}

export function registerProve(program: Command): void {
  program
    .command("prove")
    // Exit code 1 means that messages are missing or duplicated.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .description("Compare what was sent with the content of each layer")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .addOption(
      new Option("--allow-pending <seconds>", "succeed if no message has waited longer")
        .env("ALLOW_PENDING_SECONDS")
        .argParser(wholeNumber(0))
        .default(0),
    )
    .option(
      "--deep",
      "also recompute every row from stg; takes up to twice as long as a full refresh",
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nExit code 0: no message is missing or duplicated. 1: messages are missing or duplicated." +
        "\n3: incomplete, messages wait for a reader or a step. 2: the reconciliation could not run." +
        "\nWith a broker, a live generator's message counts are read from its state topic.",
    )
    .action(async (options: ProveOptions) => {
      const { reconciliation, deep } = await check(options);
      if (options.json) printJson(deep ? { ...reconciliation, deep } : reconciliation);
      else
        printLine(
          [renderReconciliation(reconciliation), ...(deep ? [renderDeep(deep)] : [])].join("\n"),
        );
      // The deep check comes first, because it names the layer to rebuild.
      if (deep) requireEqual(deep, reconciliation);
      requireNothingLost(reconciliation);
      requireComplete(reconciliation, options.allowPending);
      if (deep) requireChecked(deep, reconciliation.database);
      if (reconciliation.verdict === "incomplete" && !options.json) {
        printLine(
          `Messages wait, none longer than ${options.allowPending} s: normal between two loads.`,
        );
      }
    });
}

/** Runs the checks; an unreadable source proves no loss. @throws UncheckedError */
async function check(options: ProveOptions) {
  try {
    return await withDatabase(options, async (db) => ({
      reconciliation: await proveWith(db, options.bootstrap),
      deep: options.deep ? await proveDeepDuringLoads(db) : undefined,
    }));
  } catch (error) {
    if (error instanceof UserError) throw new UncheckedError(error.message, error.hint);
    throw error;
  }
}

/** Requires complete layers. @throws UserError when a message is missing or duplicated */
export function requireNothingLost(reconciliation: Reconciliation): void {
  if (reconciliation.unaccounted === 0) return;
  const [first] = findingsOf(reconciliation);
  throw new UserError(
    `${formatNumber(reconciliation.unaccounted, "message")} unaccounted for${first ? `: ${first.what}` : ""}`,
    first?.hint ?? rebuildOds(reconciliation.onlyCopies, reconciliation.database),
  );
}

/** Requires equal rows. @throws UserError when a row differs from its recomputation from stg */
export function requireEqual(
  { lines, layers: [layer], onlyCopies, views }: DeepResult,
  { database }: Pick<Reconciliation, "database">,
): void {
  if (layer === undefined) {
    requireDeclared(views, database);
    return;
  }
  const differing = lines.filter(({ isEqual }) => !isEqual).length;
  throw new UserError(
    `${layer} differs from its recomputation from stg in ${differing} lines`,
    layer === "ods" ? rebuildOds(onlyCopies, database) : rebuild(layer, database),
  );
}

function requireDeclared([first]: DeepResult["views"], database: string | null): void {
  if (first === undefined) return;
  throw new UserError(
    `The view ${first.object} differs from sql/ddl: ${first.what}.`,
    hintToRun(database, "ddl"),
  );
}

function requireChecked({ unchecked: [first] }: DeepResult, database: string | null): void {
  if (first === undefined) return;
  throw new IncompleteError(
    `${first.layer}.${first.table} was not compared: ${first.reason}`,
    `${hintToRun(database, "transform")}, then retry`,
  );
}

/** Limits waiting. @throws IncompleteError when messages lack a reader or wait too long */
export function requireComplete(reconciliation: Reconciliation, allowedSeconds = 0): void {
  if (reconciliation.verdict !== "incomplete" || isBetweenLoads(reconciliation, allowedSeconds))
    return;
  const [first] = reconciliation.waiting;
  throw new IncompleteError(
    `The reconciliation is incomplete: ${first ? waitingText(first) : "load_dds has not finished"}`,
    first?.hint ?? hintToRun(reconciliation.database, "transform"),
  );
}

export async function proveWith(
  db: Database,
  bootstrap: string | undefined,
): Promise<Reconciliation> {
  if (!bootstrap) return proveDuringLoads(db);
  const { openBrokerFeed } = await import("../warehouse/reconciliation/broker-sources.ts");
  return withBroker(bootstrap, undefined, ({ admin }) =>
    proveWithFeed(db, (isRetry) => openBrokerFeed(db, admin, isRetry)),
  );
}
