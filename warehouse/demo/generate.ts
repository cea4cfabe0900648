import type { Manifest } from "../../contract/manifest.ts";
import type { Database } from "../../contract/ports.ts";
import { emptyStatement, totalOf } from "../../contract/statement.ts";
import { runBackfill } from "../../generator/backfill.ts";
import { donorPool } from "../../generator/behaviour/scenario/donors.ts";
import type { GeneratorConfig } from "../../generator/config.ts";
import type { StateV3 } from "../../generator/model/state.ts";
import { formatCount } from "../../terminal/format.ts";
import { printLine } from "../../terminal/print.ts";
import { startProgress } from "../../terminal/progress.ts";
import type { StepResult } from "../batch/run-step.ts";
import { stepLine } from "../batch/transform.ts";
import { currentEpoch } from "../sources/epoch.ts";
import { finishedHistory, type Source } from "../sources/source.ts";
import { storeSource } from "../sources/stored.ts";

/** Generates a history into stg, and stores its manifest last. @param source its name and command */
export async function generate(
  db: Database,
  config: GeneratorConfig,
  source: Pick<Source, "name" | "command">,
): Promise<{ manifest: Manifest; state: StateV3; result: StepResult }> {
  const started = performance.now();
  const { StgPublisher } = await import("../loader/stg-publisher.ts");
  const publisher = await StgPublisher.open(db);
  const epoch = await currentEpoch(db);
  const begun = {
    ...source,
    kind: "history",
    statement: emptyStatement(),
    isFinal: false,
  } as const;
  await storeSource(db, epoch, begun);
  const progress = startProgress("  generate");
  const donors = donorPool(config);
  const { manifest, state } = await runBackfill(config, donors, publisher, {
    onProgress: ({ ratio, events }) => progress.update(ratio, `${formatCount(events)} page events`),
  });
  await publisher.close();
  const finished = finishedHistory(source.name, manifest);
  await storeSource(db, epoch, { ...finished, ...source });
  progress.stop();
  const result: StepResult = {
    id: "generate",
    seconds: (performance.now() - started) / 1000,
    report: { browser_messages: manifest.counts.browser, messages: totalOf(finished.statement) },
  };
  printLine(stepLine(result));
  if (manifest.unborn > 0) {
    printLine(
      `  ${formatCount(manifest.unborn)} sessions rejected at the limits GEN_MAX_ACTIVE_SESSIONS and GEN_POPULATION_MAX`,
    );
  }
  return { manifest, state, result };
}
