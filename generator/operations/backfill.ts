import { emptyBatch } from "../../contract/ports.ts";
import { announcement } from "../../contract/source.ts";
import { requireEnd } from "../backfill.ts";
import { modelOfSettings } from "../fingerprint.ts";
import { GeneratorRun, requireBefore, yieldToEvents } from "../run.ts";
import { type Outcome, recordOf, runAsWriter, type StepContext, type Takeover } from "./context.ts";
import { type InstanceRecord, requireState, startedRecord } from "./record.ts";
import type { OutgoingBatch } from "./retrying-publisher.ts";

/** Writes a history; commits the manifest with the last batch. */
export const backfillStep = (context: StepContext): Promise<Outcome> =>
  runAsWriter(context, (taken) => writeHistory(context, taken));

async function writeHistory(
  { config, chosen, donors, watcher, signal }: StepContext,
  { publisher, record }: Takeover,
): Promise<Outcome> {
  const from = requireState(record);
  // A history keeps its settings; changed ones apply to the live events after it.
  const settings = from ? modelOfSettings(from.settings) : config;
  const tEnd = requireEnd(record?.t_end_us ?? config.tEnd);
  if (from) requireBefore(from, tEnd);
  // Commits the end first, so that a backfill interrupted at its start resumes to the same end.
  if (!record || record.phase === "clean")
    await publisher.send(silent(startedRecord(tEnd, chosen)));
  const run = new GeneratorRun(settings, donors, from);
  watcher.advanced(run);
  let batches = record?.batches ?? 0;
  let latest = Promise.resolve();
  while (run.modelTime < tEnd && !signal.aborted) {
    await publisher.hasRoom();
    const batch = run.nextHour(tEnd);
    batches += 1;
    const isLast = run.modelTime >= tEnd;
    const source = isLast ? run.manifest(tEnd) : announcement;
    latest = publisher.send({
      batch,
      record: recordOf(
        run,
        { config, chosen },
        { phase: "backfill", batches, t_end_us: tEnd, checksum: null },
      ),
      ...(isLast || batches === 1 ? { source } : {}),
    });
    watcher.advanced(run);
    watcher.progressed((run.modelTime - settings.t0) / (tEnd - settings.t0));
    await yieldToEvents();
  }
  await latest;
  return run.modelTime < tEnd ? "stopped" : "completed";
}

const silent = (record: InstanceRecord): OutgoingBatch => ({
  batch: emptyBatch(),
  record,
  isSilent: true,
});
