import type { Command } from "commander";
import { UserError } from "../contract/errors.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { commandOn, type Place, placeOf } from "../warehouse/database/command.ts";
import { intervalOf, readAnalytics } from "../warehouse/history/analytics.ts";
import { checkHistory, readLiveHandover } from "../warehouse/history/check.ts";
import type { CheckResult } from "../warehouse/history/checks/result.ts";
import { modelOf } from "../warehouse/history/model.ts";
import { checkLine, checksSummary, renderAnalytics } from "../warehouse/history/render.ts";
import { currentEpoch } from "../warehouse/sources/epoch.ts";
import { readEverySource } from "../warehouse/sources/stored.ts";
import {
  bootstrapOption,
  type DatabaseOption,
  databaseOption,
  jsonOption,
  readSourcesAtBroker,
  wholeNumber,
  withBroker,
  withDatabase,
} from "./options.ts";

interface RuntimeOptions {
  readonly database?: string;
  readonly bootstrap?: string;
  readonly liveSeconds: number;
  readonly json?: true;
}

export function registerHistory(program: Command): void {
  program
    .command("history-analytics")
    .description(
      "Show visitors, sessions, page events by day and by hour of the day, funnel and retention",
    )
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(analytics);

  program
    .command("history-check")
    .description("Check the history against its manifest; fails on any difference")
    .addOption(databaseOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nCHECK_LIVE_SEAM=0 for backfill-only and import-only; 1 (default) checks that live continues from T_end.\nThat check can be run five minutes of model time after the end of the history.",
    )
    .action(check);

  program
    .command("history-runtime-check")
    .description(
      "Check backfill, live, page events by hour (daily wave) and continuation on an empty environment",
    )
    .option(
      "--database <url|dir>",
      "ClickHouse that reads from the broker",
      process.env.CLICKHOUSE_URL,
    )
    .addOption(bootstrapOption())
    .option("--live-seconds <seconds>", "how long live generation runs", wholeNumber(30, 600), 45)
    .addOption(jsonOption())
    .action(runtime);
}

async function analytics(options: DatabaseOption): Promise<void> {
  await withDatabase(options, async (db) => {
    const newer = await readSourcesAtBroker(db);
    const [source, ...more] = await readEverySource(db, await currentEpoch(db), newer);
    const only = more.length === 0 ? source : undefined;
    const model = modelOf(only);
    const result = await readAnalytics(db, model, await intervalOf(db, only?.manifest));
    if (options.json) printJson(result);
    else printLine(renderAnalytics(result, model));
    if (model?.doubt && !options.json) printLine(model.doubt);
  });
}

async function check(options: DatabaseOption): Promise<void> {
  const liveHandover = readLiveHandover(process.env.CHECK_LIVE_SEAM);
  const results = await withDatabase(options, async (db) => {
    return checkHistory(db, {
      liveHandover,
      newer: await readSourcesAtBroker(db),
      env: process.env,
      ...(options.json ? {} : { onResult: (result) => printLine(checkLine(result)) }),
    });
  });
  conclude(results, options.json, placeOf(options.database));
}

/** Prints the results. @throws UserError if a check failed */
function conclude(results: readonly CheckResult[], asJson: true | undefined, place: Place): void {
  if (asJson) printJson(results);
  else printLine(checksSummary(results));
  const failed = results.filter((result) => result.status === "failed");
  const [first] = failed;
  if (!first) return;
  throw new UserError(
    `${failed.length} of ${results.length} history checks failed: ${failed.map((result) => result.id).join(", ")}`,
    first.hint ??
      `run \`${commandOn(place, "prove")}\` to see which messages differ; \`${commandOn(place, "transform")}\` loads waiting messages`,
  );
}

async function runtime(options: RuntimeOptions): Promise<void> {
  if (!options.database) {
    throw new UserError(
      "The runtime check needs a database that reads from Kafka: CLICKHOUSE_URL is not set",
      "run make generated-history-runtime-check on the running stack",
    );
  }
  const { runtimeCheck } = await import("../warehouse/history/runtime-check.ts");
  const results = await withBroker(options.bootstrap, options.database, ({ admin, database }) => {
    if (!database) throw new Error("withBroker opened no database");
    return runtimeCheck({
      admin,
      database,
      env: process.env,
      liveSeconds: options.liveSeconds,
      onStep: (what) => process.stderr.write(`${what}\n`),
      onResult: (result) => {
        if (!options.json) printLine(checkLine(result));
      },
    });
  });
  conclude(results, options.json, {});
}
