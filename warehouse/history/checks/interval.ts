import { askOne, type CheckContext } from "./context.ts";
import { type CheckResult, count, verdict } from "./result.ts";

interface Outside {
  readonly events: number;
  readonly live: number;
  readonly skewed: number;
  readonly outside: number;
  /** Events outside the interval with unknown emission time. */
  readonly outside_without_time: number;
  readonly live_before: number;
  readonly emitted_before: number;
}

export async function checkInterval(context: CheckContext): Promise<CheckResult[]> {
  const found = await askOne<Outside>(context, "event_times");
  return [
    verdict("ods is not empty", found.events > 0, `${count(found.events)} page events in ods`),
    intervalResult(context, found),
  ];
}

function intervalResult({ manifest, liveHandover }: CheckContext, found: Outside): CheckResult {
  // Skewed clocks without an emission time have no marker.
  const strayed = Math.max(0, found.outside_without_time - manifest.defects.skewed_clock.browser);
  const wrong = found.outside + found.live_before + found.emitted_before + strayed;
  const live = liveHandover ? 0 : found.live;
  const detail = `${count(found.events - found.live)} page events until T_end, ${count(wrong)} outside [${manifest.t0}, ${manifest.t_end}) besides ${count(found.skewed)} marked skewed_clock`;
  const unexpected =
    live > 0
      ? `; ${count(live)} were emitted after T_end: CHECK_LIVE_SEAM=1 checks live generation`
      : "";
  return verdict("events in [T0, T_end)", wrong + live === 0, detail + unexpected);
}
