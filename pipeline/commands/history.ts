import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { UserError } from "../../contract/errors.ts";
import { intervalOf, readAnalytics } from "../history/analytics.ts";
import { checkHistory } from "../history/check.ts";
import { readLiveSeam } from "../history/live-seam.ts";
import { modelOf } from "../history/model-config.ts";
import { checkLine, renderAnalytics } from "../history/render.ts";
import { currentEpoch } from "../ledger/prove.ts";
import { readManifest } from "../ledger/source.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  printJson,
  printLine,
  withDatabase,
} from "./options.ts";

interface AnalyticsOptions extends DatabaseOption {
  readonly html?: string;
  readonly json?: true;
}

interface CheckOptions extends DatabaseOption {
  readonly json?: true;
}

export function registerHistory(program: Command): void {
  program
    .command("history-analytics")
    .description("Users, visits, page events, daily wave against the model, funnel, retention")
    .option("--html <file>", "write a page with charts as well")
    .addOption(databaseOption())
    .addOption(jsonOption())
    .addHelpText("after", "\nGEN_* variables tell the model; set them as for the backfill.")
    .action(analytics);

  program
    .command("history-check")
    .description("Hold the history against its manifest; fails if anything differs")
    .addOption(databaseOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nCHECK_LIVE_SEAM=0 for backfill-only and import-only; 1 (default) checks that live goes on from T_end.",
    )
    .action(check);
}

async function analytics(options: AnalyticsOptions): Promise<void> {
  await withDatabase(options, async (db) => {
    const manifest = await readManifest(db, await currentEpoch(db));
    const model = await modelOf(manifest, process.env);
    const result = await readAnalytics(db, model.config, await intervalOf(db, manifest));
    if (options.json) printJson(result);
    else printLine(renderAnalytics(result, model.config.timezone));
    if (!model.isConfirmed && !options.json) {
      printLine("The manifest does not confirm the GEN_* settings: the model's side is a guess.");
    }
    if (options.html !== undefined) {
      const { analyticsPage } = await import("../report/analytics-page.ts");
      await writeFile(options.html, analyticsPage(result, model, manifest));
      if (!options.json) printLine(`\nWritten: ${options.html}`);
    }
  });
}

async function check(options: CheckOptions): Promise<void> {
  const liveSeam = readLiveSeam(process.env.CHECK_LIVE_SEAM);
  const results = await withDatabase(options, (db) =>
    checkHistory(db, {
      liveSeam,
      env: process.env,
      ...(options.json ? {} : { onResult: (result) => printLine(checkLine(result)) }),
    }),
  );
  if (options.json) printJson(results);
  const failed = results.filter((result) => result.status === "failed");
  if (failed.length === 0) return;
  throw new UserError(
    `${failed.length} of ${results.length} history checks failed: ${failed.map((result) => result.id).join(", ")}.`,
    "pipeline prove shows which messages differ; pipeline transform loads what waits in stg",
  );
}
