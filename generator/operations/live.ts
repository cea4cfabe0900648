import { tickMicros } from "../config.ts";
import { withStoredStart } from "../resume.ts";
import { GeneratorRun } from "../run.ts";
import { type Outcome, recordOf, runAsWriter, type StepContext, type Takeover } from "./context.ts";
import { announcement, requireState } from "./record.ts";
import { Ticker } from "./ticker.ts";

/** Generates live events from the record's model time, so that a pause leaves no gap. */
export const liveStep = (context: StepContext): Promise<Outcome> =>
  runAsWriter(context, (taken) => follow(context, taken));

async function follow(
  { config, chosen, donors, watcher, signal }: StepContext,
  { sender, record }: Takeover,
): Promise<Outcome> {
  const from = requireState(record);
  const run = new GeneratorRun(from ? withStoredStart(config, from) : config, donors, from);
  watcher.advanced(run);
  const tick = tickMicros(config);
  const ticker = new Ticker(config.tickSeconds * 1000);
  let batches = record?.batches ?? 0;
  while (await ticker.next(signal)) {
    const start = performance.now();
    batches += 1;
    const batch = run.advance(run.modelTime + tick);
    watcher.advanced(run);
    await sender.send({
      batch,
      record: recordOf(
        run,
        { config, chosen },
        {
          phase: "live",
          batches,
          tEnd: record?.t_end_us ?? null,
          checksum: record?.checksum ?? null,
        },
      ),
      ...(batches === 1 ? { source: announcement } : {}),
    });
    watcher.ticked((performance.now() - start) / 1000);
  }
  return "stopped";
}
