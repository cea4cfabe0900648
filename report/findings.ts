import type { FunnelStage } from "../warehouse/history/analytics.ts";
import type { ProfileHour, WavePoint } from "../warehouse/history/wave.ts";
import { dateText, dayText, factor, hourText, minuteText, percent, whole } from "./format.ts";

/** A factor below it says nothing. */
const NOTABLE = 1.2;

const largest = <T>(items: readonly T[], value: (item: T) => number): T | undefined =>
  items.reduce<T | undefined>(
    (best, item) => (best === undefined || value(item) > value(best) ? item : best),
    undefined,
  );

export function busiestHour(points: readonly WavePoint[], timezone: string): string {
  const top = largest(points, ({ observed }) => observed);
  if (top === undefined) return "Page events per hour";
  const hour = `${dayText(top.shown)}, ${minuteText(top.shown).slice(11)} (${timezone})`;
  return `The busiest hour was ${hour}, with ${whole(top.observed)} page events`;
}

export function hourOfDay(hours: readonly ProfileHour[], timezone: string): string {
  const top = largest(hours, ({ observed }) => observed);
  const low = largest(hours, ({ observed }) => -observed);
  if (top === undefined || low === undefined) return `The mean day, by the hour (${timezone})`;
  const times = top.observed / low.observed;
  return times < NOTABLE
    ? `All hours of the day are alike (${timezone})`
    : `${hourText(top.hour)} brings the most page events${Number.isFinite(times) ? `, ${factor(times)} times those of ${hourText(low.hour)}` : ""} (${timezone})`;
}

/** Compares the day that stands out most, by many or by few visitors, with the median day. */
export function busiestDay(
  days: readonly { readonly day: string; readonly visitors: number }[],
): string {
  const sorted = days.toSorted((a, b) => a.visitors - b.visitors);
  const [low, median, top] = [
    sorted[0],
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted.at(-1),
  ];
  if (low === undefined || median === undefined || top === undefined) return "Visitors per day";
  const busiest = `${dateText(top.day)} brought ${days.length < 3 ? "" : "the most visitors, "}${whole(top.visitors)}`;
  if (days.length < 3) return `${busiest} visitors`;
  const [more, less] = [top.visitors / median.visitors, median.visitors / low.visitors];
  if (Math.max(more, less) < NOTABLE) return `No day stands out: ${busiest}`;
  const [day, times] = more >= less ? [top, more] : [low, 1 / less];
  return `${dateText(day.day)} brought ${factor(times)} times the visitors of the median day, ${dateText(median.day)}`;
}

export function funnelLoss(stages: readonly FunnelStage[], sessions: number): string {
  const last = stages.at(-1);
  const steps = stages.slice(1).map((stage, i) => {
    const from = stages[i] ?? stage;
    return { from, stage, share: stage.sessions / from.sessions };
  });
  const hardest = largest(
    steps.filter(({ from }) => from.sessions > 0),
    ({ share }) => -share,
  );
  if (last === undefined || hardest === undefined) return "Funnel";
  return `${percent(last.sessions / sessions)} of sessions come as far as ${last.stage}; fewest go on from ${hardest.from.stage} to ${hardest.stage.stage} (${percent(hardest.share)})`;
}

/** @param what the kind of the segments, such as `device` */
export function mostSessions(
  what: string,
  shares: readonly { readonly label: string; readonly sessions: number }[],
  total: number,
): string {
  const top = largest(shares, ({ sessions }) => sessions);
  return top === undefined
    ? `Sessions by ${what}`
    : `Most frequent ${what}: ${top.label}, ${percent(top.sessions / total)} of sessions`;
}

interface Estimate {
  readonly label: string;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** A difference of the shares of two segments, with its own 95 % interval. */
interface Difference {
  readonly more: Estimate;
  readonly less: Estimate;
  readonly low: number;
  readonly high: number;
}

/** Names the largest difference of two segments whose own interval excludes zero. */
export function clearDifference(what: string, rows: readonly Estimate[]): string {
  const pairs = rows.flatMap((more) => rows.map((less) => differenceOf(more, less)));
  const clear = largest(
    pairs.filter(({ low }) => low > 0),
    ({ more, less }) => more.estimate - less.estimate,
  );
  if (clear === undefined) return `No clear difference of purchases by ${what}`;
  const { more, less, low, high } = clear;
  return `By ${what}, ${more.label} has more purchases than ${less.label}: ${percent(more.estimate)} of sessions, not ${percent(less.estimate)}; the difference is ${points(low)} to ${points(high)} percentage points`;
}

/** Newcombe's method 10, as dm.truth has it: two intervals that overlap may still differ clearly. */
export const differenceOf = (more: Estimate, less: Estimate): Difference => {
  const estimate = more.estimate - less.estimate;
  return {
    more,
    less,
    low: estimate - Math.hypot(more.estimate - more.low, less.high - less.estimate),
    high: estimate + Math.hypot(more.high - more.estimate, less.estimate - less.low),
  };
};

const points = (share: number): string => (share * 100).toFixed(1);
