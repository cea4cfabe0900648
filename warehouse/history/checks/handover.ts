import { MINUTE, type Micros, SECOND } from "../../../contract/time.ts";
import {
  compareRates,
  expectedCrossing,
  longestPause,
  SEAM_SIGMA,
  SEAM_WINDOW,
  type SeamWindow,
} from "../handover-statistics.ts";
import { askOne, type CheckContext } from "./context.ts";
import { type CheckResult, count, skipped, verdict } from "./result.ts";

const LEAST_LIVE: Micros = 5 * MINUTE;

/** Fewer expected sessions than this may all have ended by chance (e^-12: 6 in a million). */
const LEAST_CROSSING = 12;

/** Fewer sessions than this may all be by new users. */
const LEAST_RETURNING = 20;

export async function checkSeam(context: CheckContext): Promise<CheckResult[]> {
  const live = await askOne<{ events: number; live_for: Micros }>(context, "seam_live");
  if (live.events === 0 || live.live_for < LEAST_LIVE) return [tooShort(context, live)];
  const length = Math.min(SEAM_WINDOW, live.live_for);
  const window = await askOne<SeamWindow>(context, "seam_window", { window: length });
  return [
    await doubles(context),
    pause(window, length),
    rates(context, window, length),
    await facts(context, window, length),
    await returns(context, length),
  ];
}

function tooShort(
  { manifest }: CheckContext,
  live: { events: number; live_for: Micros },
): CheckResult {
  const detail =
    live.events === 0
      ? `no page event after T_end ${manifest.t_end}: start live generation (make generator-up), or CHECK_LIVE_SEAM=0 for backfill-only and import-only`
      : `live has run for ${minutes(live.live_for)} of model time after T_end, at least ${minutes(LEAST_LIVE)} are needed: wait, load (pipeline transform) and check again`;
  return verdict("live seam", false, detail);
}

async function doubles(context: CheckContext): Promise<CheckResult> {
  const { doubled } = await askOne<{ doubled: number }>(context, "seam_doubles");
  return verdict(
    "handover: no duplicate",
    doubled === 0,
    `${count(doubled)} page events were emitted on both sides of T_end`,
  );
}

function pause(window: SeamWindow, length: Micros): CheckResult {
  const longest = longestPause(window, length);
  const found = window.after > 0 ? window.first_after - window.last_before : Infinity;
  const detail = `${seconds(found)} between the last page event before T_end and the first after; chance makes ${seconds(longest)} once in 10⁹ (${count(window.visits_before)} visits began in ${minutes(length)})`;
  return verdict("handover: no gap", found <= longest, detail);
}

function rates(context: CheckContext, window: SeamWindow, length: Micros): CheckResult {
  const { config, isConfirmed } = context.model;
  const { expected, allowed, clumping } = compareRates(window, config, context.tEnd, length);
  const off = Math.abs(window.after - expected);
  const model = isConfirmed
    ? ""
    : "; the fingerprint does not confirm the GEN_* settings of this environment";
  const detail = `${count(window.before)} page events in ${minutes(length)} before T_end, ${count(window.after)} after; expected ${count(Math.round(expected))} ± ${count(Math.round(allowed))} (${SEAM_SIGMA} σ of visits born by Poisson, clumps of ${clumping.toFixed(1)})${model}`;
  return verdict("handover: same rate", window.before > 0 && off <= allowed, detail);
}

async function facts(
  context: CheckContext,
  window: SeamWindow,
  length: Micros,
): Promise<CheckResult> {
  type Facts = { crossing: number; changed: number; examples: string[] };
  const { crossing, changed, examples } = await askOne<Facts>(context, "seam_facts");
  const expected = expectedCrossing(window, length);
  const isCut = crossing === 0 && expected >= LEAST_CROSSING;
  const figures = `${count(crossing)} sessions cross T_end (about ${expected.toFixed(0)} expected), ${count(changed)} change browser, source, device or place`;
  const detail = examples.length > 0 ? `${figures}: ${examples.join(", ")}` : figures;
  return verdict("handover: sessions keep their facts", changed === 0 && !isCut, detail);
}

/** A generator that lost its state has no returning users. */
async function returns(context: CheckContext, length: Micros): Promise<CheckResult> {
  const id = "handover: users return";
  const { newUserShare, minReturnMinutes } = context.model.config;
  if (newUserShare > 0.5 || context.tEnd - context.t0 < 2 * minReturnMinutes * MINUTE) {
    return skipped(id, "most sessions are by new users: too many of them, or too short a history");
  }
  const found = await askOne<{ visits: number; known: number }>(context, "seam_users", {
    window: length,
  });
  const detail = `${count(found.known)} of ${count(found.visits)} sessions that began in ${minutes(length)} after T_end are by users who had been there before`;
  return verdict(id, found.known > 0 || found.visits < LEAST_RETURNING, detail);
}

const seconds = (time: Micros): string => `${(time / SECOND).toFixed(1)} s`;
const minutes = (time: Micros): string => `${(time / MINUTE).toFixed(1)} min`;
