import { DAY, HOUR, isoMicros, MINUTE, type Micros, SECOND } from "../../../contract/time.ts";
import type { ModelConfig } from "../../../generator/behaviour/config.ts";
import { tickMicros } from "../../../generator/model/config.ts";
import { hintToRun } from "../../database/command.ts";
import { constantModel, type ModelPeriod } from "../model.ts";
import { expectedEvents } from "../wave.ts";
import { askOne, type CheckContext } from "./context.ts";
import { type CheckResult, count, skipped, verdict } from "./result.ts";

const MIN_LIVE: Micros = 5 * MINUTE;

/** Minimum of expected sessions; fewer may all have ended by chance (e^-12: 6 in a million). */
const MIN_CROSSING = 12;

/** Minimum of sessions; fewer may all be by new users. */
const MIN_RETURNING = 20;

export async function checkHandover(context: CheckContext): Promise<CheckResult[]> {
  const live = await askOne<{ events: number; live_for: Micros }>(context, "handover_live");
  if (live.events === 0 || live.live_for < MIN_LIVE) return [tooShort(context, live)];
  const length = Math.min(HANDOVER_WINDOW, live.live_for);
  const read = (window: Micros) => askOne<HandoverWindow>(context, "handover_window", { window });
  const unchanged = Math.min(length, unchangedFor(context));
  const window = await read(length);
  return [
    await duplicates(context),
    pause(context, window, length),
    unchanged < MIN_LIVE
      ? skipped(SAME_RATE, "settings of the rate changed within five minutes of T_end")
      : rates(context, await read(unchanged), unchanged),
    await facts(context, window, length),
    await returns(context, length),
  ];
}

const SAME_RATE = "handover: same rate";

/** Returns the time after T_end with the settings of the history. */
const unchangedFor = ({ model: { periods }, tEnd }: CheckContext): Micros =>
  (periods[1]?.from ?? Number.POSITIVE_INFINITY) - tEnd;

/** Returns the settings that apply in a part of the time until `length` after T_end. */
const settingsUntil = ({ model: { periods }, tEnd }: CheckContext, length: Micros) =>
  periods.filter(({ from }) => from < tEnd + length).map(({ config }) => config);

function tooShort(
  { db, tEnd, model }: CheckContext,
  live: { events: number; live_for: Micros },
): CheckResult {
  const start = live.events === 0 ? "run `make generator-up` if the generator is off, " : "";
  const left = MIN_LIVE - (live.events === 0 ? 0 : live.live_for);
  const hint = `${start}wait ${waitOf(left / model.config.timeSpeed)}, ${hintToRun(db, "transform")}, then check again`;
  const loaded =
    live.events === 0
      ? "none is loaded; backfill-only and import-only set CHECK_LIVE_SEAM=0"
      : `${minutes(live.live_for)} are loaded`;
  const detail = `can be checked from ${isoMicros(tEnd + MIN_LIVE)} of model time, ${minutes(MIN_LIVE)} after the end of the history: ${loaded}`;
  return { ...verdict("live handover", false, detail), hint };
}

const waitOf = (time: Micros): string =>
  time < MINUTE ? `${Math.ceil(time / SECOND)} s` : `${Math.ceil(time / MINUTE)} min`;

async function duplicates(context: CheckContext): Promise<CheckResult> {
  const { duplicates: found } = await askOne<{ duplicates: number }>(
    context,
    "handover_duplicates",
  );
  return verdict(
    "handover: no duplicate",
    found === 0,
    `${count(found)} page events were emitted on both sides of T_end`,
  );
}

function pause(
  { model: { periods }, tEnd }: CheckContext,
  window: HandoverWindow,
  length: Micros,
): CheckResult {
  const longest = longestPause(window, periods, tEnd, length);
  const found = window.after > 0 ? window.first_after - window.last_before : Infinity;
  const detail = `${seconds(found)} between the last page event before T_end and the first after; by chance a pause of ${seconds(longest)} occurs once in 10⁹ (${count(window.visits_before)} sessions began in ${minutes(length)})`;
  return verdict("handover: no gap", found <= longest, detail);
}

function rates(context: CheckContext, window: HandoverWindow, length: Micros): CheckResult {
  const { config, doubt } = context.model;
  const { expected, allowed, clumping } = compareRates(window, config, context.tEnd, length);
  const off = Math.abs(window.after - expected);
  const model = doubt ? `; ${doubt}` : "";
  const detail = `${count(window.before)} page events in ${minutes(length)} before T_end, ${count(window.after)} after; expected ${count(Math.round(expected))} ± ${count(Math.round(allowed))} (${HANDOVER_SIGMA} σ of a Poisson process of sessions, clusters of ${clumping.toFixed(1)})${model}`;
  return verdict(SAME_RATE, window.before > 0 && off <= allowed, detail);
}

async function facts(
  context: CheckContext,
  window: HandoverWindow,
  length: Micros,
): Promise<CheckResult> {
  type Facts = { crossing: number; changed: number; examples: string[] };
  const { crossing, changed, examples } = await askOne<Facts>(context, "handover_facts");
  const expected = expectedCrossing(window, length);
  const isCut = crossing === 0 && expected >= MIN_CROSSING;
  const figures = `${count(crossing)} sessions cross T_end (about ${expected.toFixed(0)} expected), ${count(changed)} change browser, source, device or place`;
  const detail = examples.length > 0 ? `${figures}: ${examples.join(", ")}` : figures;
  return verdict("handover: sessions keep their facts", changed === 0 && !isCut, detail);
}

/** Checks that visitors return: a generator that lost its state has no returning visitors. */
async function returns(context: CheckContext, length: Micros): Promise<CheckResult> {
  const id = "handover: users return";
  const configs = settingsUntil(context, length);
  const newUsers = Math.max(...configs.map(({ newUserShare }) => newUserShare));
  const pauseMinutes = Math.max(...configs.map(({ minReturnMinutes }) => minReturnMinutes));
  // In shop nearly all visitors are new on the first day.
  const hasShop = configs.some(({ behaviour }) => behaviour === "shop");
  const least = Math.max(2 * pauseMinutes * MINUTE, hasShop ? DAY : 0);
  if (newUsers > 0.5 || context.tEnd - context.t0 < least) {
    return skipped(
      id,
      "most sessions are by new users, because their share is high or the history is short",
    );
  }
  const found = await askOne<{ sessions: number; known: number }>(context, "handover_users", {
    window: length,
  });
  const detail = `${count(found.known)} of ${count(found.sessions)} sessions that began in ${minutes(length)} after T_end are by returning users`;
  return verdict(id, found.known > 0 || found.sessions < MIN_RETURNING, detail);
}

const seconds = (time: Micros): string => `${(time / SECOND).toFixed(1)} s`;
const minutes = (time: Micros): string => `${(time / MINUTE).toFixed(1)} min`;

export interface HandoverWindow {
  readonly before: number;
  readonly after: number;
  /** Sum of the squared page events of each session in both windows. */
  readonly weight: number;
  readonly visits_before: number;
  /** Total duration of sessions before T_end, microseconds. */
  readonly time_before: Micros;
  /** Last page event before T_end, relative to T_end, microseconds. */
  readonly last_before: Micros;
  readonly first_after: Micros;
}

const HANDOVER_WINDOW: Micros = HOUR;

/** Accepted deviation, in standard deviations: chance exceeds it once in 1.7 million. */
export const HANDOVER_SIGMA = 5;

/** Exponent of the longest accepted pause, which chance exceeds once in 10⁹ (e^-21). */
const PAUSE_EXPONENT = 21;

export interface RateComparison {
  /** Page events expected after T_end, from earlier events and the model's coefficients. */
  readonly expected: number;
  readonly allowed: number;
  /** Mean clump size: variance of a count divided by that of a Poisson process. */
  readonly clumping: number;
}

/** Compares rates. N page events in sessions of n vary by sqrt(N × Σn² / Σn), plus jitter. */
export function compareRates(
  window: HandoverWindow,
  config: ModelConfig,
  tEnd: Micros,
  length: Micros,
): RateComparison {
  const ratio = rateRatio(constantModel(config).periods, tEnd, length);
  const expected = window.before * ratio;
  const clumping = window.weight / Math.max(1, window.before + window.after);
  const chance = clumping * (expected + ratio ** 2 * window.before);
  const share = config.jitterPercent / 100 / Math.sqrt(3);
  const jitter = 2 * (expected * share) ** 2 * Math.min(1, tickMicros(config) / length);
  return { expected, clumping, allowed: HANDOVER_SIGMA * Math.sqrt(chance + jitter) };
}

/** Returns the longest accepted pause; a lower rate after T_end makes it longer. */
export function longestPause(
  { visits_before }: Pick<HandoverWindow, "visits_before">,
  periods: readonly ModelPeriod[],
  tEnd: Micros,
  length: Micros,
): Micros {
  const slower = Math.max(1, 1 / rateRatio(periods, tEnd, length));
  return (PAUSE_EXPONENT * length * slower) / Math.max(1, visits_before);
}

/** Returns the expected page events after T_end over those before. */
function rateRatio(periods: readonly ModelPeriod[], tEnd: Micros, length: Micros): number {
  const expected = expectedEvents(periods);
  return expected(tEnd, tEnd + length) / expected(tEnd - length, tEnd);
}

export const expectedCrossing = (window: HandoverWindow, length: Micros): number =>
  window.time_before / length;
