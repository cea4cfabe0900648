import { HOUR, MINUTE, type Micros } from "../../../contract/time.ts";
import { RETURN_DAYS } from "../../../contract/truth.ts";
import { dailyCoefficient, segments } from "../../model/budget.ts";
import { tickMicros } from "../../model/config.ts";
import type { DonorPool } from "../../model/donors.ts";
import type { ModelConfig } from "../config.ts";
import { dayWeight, type ShopParameters } from "./parameters.ts";
import { budgetOf, type Returns, returnFactor } from "./returns.ts";
import { returnsOf } from "./shop.ts";

/** What is expected in an hour of the model. */
interface ExpectedHour {
  readonly start: Micros;
  readonly sessions: number;
  readonly newVisitors: number;
  /** Sessions by returning visitors, as a factor of those at weight 1. */
  readonly returning: number;
}

/** The hours of a history without a scenario: the population of the model, in expectation. */
export function expectedHours(
  config: ModelConfig,
  donors: DonorPool,
  parameters: ShopParameters,
  until: Micros,
): ExpectedHour[] {
  const returns = returnsOf(config, donors, parameters);
  const eventsIn = pageEvents(config, parameters);
  const hours: ExpectedHour[] = [];
  for (let start = config.t0; start < until; start += HOUR) {
    const due = dueAt(hours, returns);
    const share = returns.shareOf(due);
    const sessions = eventsIn(start, Math.min(until, start + HOUR)) / returns.lengthAt(share);
    const returning = due === 0 ? 0 : (sessions * share) / due;
    hours.push({ start, sessions, newVisitors: sessions * (1 - share), returning });
  }
  return hours;
}

function dueAt(hours: readonly ExpectedHour[], { byHour }: Returns): number {
  let due = 0;
  const oldest = Math.max(0, hours.length - byHour.length);
  for (let hour = oldest; hour < hours.length; hour += 1) {
    due += (hours[hour]?.newVisitors ?? 0) * (byHour[hours.length - hour] ?? 0);
  }
  return due;
}

function pageEvents(config: ModelConfig, parameters: ShopParameters) {
  const coefficient = dailyCoefficient(config.timezone);
  const weight = dayWeight(parameters);
  const perTick = (config.eventsPerMinute * tickMicros(config)) / MINUTE;
  return (from: Micros, to: Micros): number =>
    segments((at) => coefficient(at) * weight(at), from, to).reduce(
      (sum, part) =>
        sum + budgetOf(config, perTick * part.coefficient) * ((part.end - part.start) / HOUR),
      0,
    );
}

/** Returns the expected share of visitors with another session within RETURN_DAYS; 0 in a shorter history. */
export function returnShare(
  hours: readonly ExpectedHour[],
  { byHour }: Returns,
  { visitors }: ShopParameters,
  isRegistered: boolean,
): number {
  const factor = returnFactor(visitors, isRegistered);
  const days = RETURN_DAYS * 24;
  let [all, back] = [0, 0];
  for (let first = 0; first + days < hours.length; first += 1) {
    let sessions = 0;
    for (let age = 1; age <= days; age += 1) {
      // A visitor comes in the middle of the hour on average, so the last hour counts half.
      const part = age === days ? 0.5 : 1;
      sessions += part * (byHour[age] ?? 0) * (hours[first + age]?.returning ?? 0);
    }
    const visitorsOfHour = hours[first]?.newVisitors ?? 0;
    all += visitorsOfHour;
    back += visitorsOfHour * -Math.expm1(-factor * sessions);
  }
  return all === 0 ? 0 : back / all;
}
