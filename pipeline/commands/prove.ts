import { type Command, Option } from "commander";
import { IncompleteError, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { type Ledger, oldestWaiting } from "../ledger/ledger.ts";
import { renderLedger, waitingText } from "../ledger/render.ts";
import { proveSettled } from "../ledger/settled.ts";
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
  /** Seconds. */
  readonly allowPending: number;
  readonly json?: true;
}

export function registerProve(program: Command): void {
  program
    .command("prove")
    .description("Account for every message from its source to dm")
    .addOption(databaseOption())
    .addOption(bootstrapOption())
    .addOption(
      new Option("--allow-pending <seconds>", "succeed while the oldest waiting message is younger")
        .env("ALLOW_PENDING_SECONDS")
        .argParser(wholeNumber(0))
        .default(0),
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nExit code 0: every message is accounted for. 1: messages are missing or doubled." +
        "\n3: incomplete, messages wait for a reader or a step." +
        "\nWith a broker, what a live generator has sent is read from its state there.",
    )
    .action(async (options: ProveOptions) => {
      const ledger = await withDatabase(options, (db) => proveWith(db, options.bootstrap));
      if (options.json) printJson(ledger);
      else printLine(renderLedger(ledger));
      requireNothingLost(ledger);
      requireComplete(ledger, options.allowPending);
      if (ledger.verdict === "incomplete" && !options.json) {
        printLine(`This is normal between two loads: nothing waits for ${options.allowPending} s.`);
      }
    });
}

/** @throws UserError when a message is missing somewhere, or is somewhere twice */
export function requireNothingLost({ unaccounted }: Ledger): void {
  if (unaccounted === 0) return;
  throw new UserError(
    `${unaccounted} messages are unaccounted for.`,
    "pipeline ddl --rebuild ods, then pipeline transform: loads again what stg holds (30 days)",
  );
}

/** @throws IncompleteError when messages wait, and the oldest for `allowedSeconds` or longer */
export function requireComplete(ledger: Ledger, allowedSeconds = 0): void {
  if (ledger.verdict !== "incomplete" || oldestWaiting(ledger) < allowedSeconds) return;
  const [first] = ledger.waiting;
  throw new IncompleteError(
    `The ledger is incomplete: ${first ? waitingText(first) : "load_dds has not finished"}.`,
    first?.next ?? "pipeline transform (on a stack: make transform)",
  );
}

/** Against the sources as the broker has them, or as the database keeps them. */
export async function proveWith(db: Database, bootstrap: string | undefined): Promise<Ledger> {
  if (!bootstrap) return proveSettled(db);
  const { brokerFeed, syncSources } = await import("../ledger/broker-sources.ts");
  return withBroker(bootstrap, undefined, async ({ admin }) => {
    const epoch = await syncSources(db, admin);
    return proveSettled(db, epoch === null ? undefined : brokerFeed(db, admin, epoch));
  });
}
