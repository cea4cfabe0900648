import { UserError } from "../../contract/errors.ts";
import type { Micros } from "../../contract/time.ts";
import { withStoredT0 } from "../resume.ts";
import { breathe, GeneratorRun, requireBefore } from "../run.ts";
import { type Outcome, recordOf, type StepContext, type TakenOver, takeOver } from "./context.ts";
import { announcement } from "./record.ts";

/**
 * Writes the history up to T_end, one model hour per batch, or goes on with one that was cut off.
 * The manifest is committed together with the last batch.
 */
export async function backfillStep(context: StepContext): Promise<Outcome> {
  const taken = await takeOver(context);
  try {
    return await writeHistory(context, taken);
  } finally {
    await taken.sender.close();
  }
}

async function writeHistory(
  { config, donors, watcher, signal }: StepContext,
  { sender, record }: TakenOver,
): Promise<Outcome> {
  const from = record?.generator ?? undefined;
  const settings = from ? withStoredT0(config, from) : config;
  const tEnd = endOf(record?.t_end_us ?? config.tEnd);
  if (from) requireBefore(from, tEnd);
  const run = new GeneratorRun(settings, donors, from);
  watcher.advanced(run);
  let batches = record?.batches ?? 0;
  let latest = Promise.resolve();
  while (run.modelTime < tEnd && !signal.aborted) {
    await sender.hasRoom();
    const batch = run.nextHour(tEnd);
    batches += 1;
    const isLast = run.modelTime >= tEnd;
    const source = isLast ? run.manifest(tEnd) : announcement;
    latest = sender.send({
      batch,
      record: recordOf(run, config, { phase: "backfill", batches, tEnd, checksum: null }),
      ...(isLast || batches === 1 ? { source } : {}),
    });
    watcher.advanced(run);
    watcher.progressed((run.modelTime - settings.t0) / (tEnd - settings.t0));
    await breathe();
  }
  await latest;
  return run.modelTime < tEnd ? "stopped" : "completed";
}

function endOf(tEnd: Micros | null): Micros {
  if (tEnd !== null) return tEnd;
  throw new UserError("GEN_MODEL_T_END is not set: a backfill needs it");
}
