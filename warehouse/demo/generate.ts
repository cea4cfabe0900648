import type { Manifest } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import { emptyStatement, statementOf } from "../../contract/statement.ts";
import { runBackfill } from "../../generator/backfill.ts";
import type { GeneratorConfig } from "../../generator/config.ts";
import type { StateV3 } from "../../generator/model/state.ts";
import { donorPool } from "../../generator/scenario/donors.ts";
import { formatCount } from "../../terminal/format.ts";
import { printLine } from "../../terminal/print.ts";
import { startProgress } from "../../terminal/progress.ts";
import type { StepResult } from "../batch/run-step.ts";
import { stepLine } from "../batch/transform.ts";
import { totalOf } from "../loader/load.ts";
import { currentEpoch } from "../reconciliation/feed.ts";
import { storeSource } from "../reconciliation/source.ts";

/** Generates a history into stg, and stores its manifest last. @param name of the source */
export async function generate(
  db: Database,
  config: GeneratorConfig,
  name: string,
): Promise<{ manifest: Manifest; state: StateV3; result: StepResult }> {
  const started = performance.now();
  const { StgPublisher } = await import("../loader/stg-publisher.ts");
  const publisher = await StgPublisher.open(db);
  const epoch = await currentEpoch(db);
  await storeSource(db, epoch, {
    name,
    statement: emptyStatement(),
    manifest: undefined,
    isFinal: false,
  });
  const progress = startProgress("  generate");
  const donors = donorPool(config);
  const { manifest, state } = await runBackfill(config, donors, publisher, {
    onProgress: ({ ratio, events }) => progress.update(ratio, `${formatCount(events)} page events`),
  });
  await publisher.close();
  const statement = statementOf(manifest);
  await storeSource(db, epoch, { name, statement, manifest, isFinal: true });
  progress.stop();
  const result: StepResult = {
    id: "generate",
    seconds: (performance.now() - started) / 1000,
    report: { page_events: manifest.counts.browser, messages: totalOf(statement) },
  };
  printLine(stepLine(result));
  if (manifest.unborn > 0) {
    printLine(
      `  ${formatCount(manifest.unborn)} sessions rejected at the limits GEN_MAX_ACTIVE_SESSIONS and GEN_POPULATION_MAX`,
    );
  }
  return { manifest, state, result };
}
