import { HOUR, MINUTE } from "../../../contract/time.ts";
import { meanBudget } from "../../model/budget.ts";
import { tickMicros } from "../../model/config.ts";
import type { ModelConfig } from "../config.ts";
import type { ShopParameters } from "./parameters.ts";

/** Nobody returns after more than four weeks. */
export const LIFETIME_HOURS = 4 * 7 * 24;

/** Expected page events of a session. */
export interface Lengths {
  readonly first: number;
  readonly later: number;
}

/**
 * When visitors return, in whole hours after the hour of their first session. Until the age t, a visitor has
 * R(t) = Σ sessions × (1 − e^(−(t − pause) / mean)) expected later sessions, times the factor of the account.
 */
export class Returns {
  /** Expected later sessions of a visitor by the number of hours since the first one. */
  readonly byHour: readonly number[];
  readonly #lengths: Lengths;
  /** Page events per hour at weight 1. */
  readonly #budget: number;
  readonly #most: number;

  constructor(config: ModelConfig, { visitors }: ShopParameters, lengths: Lengths) {
    const tick = tickMicros(config);
    this.#lengths = lengths;
    this.#budget = budgetOf(config, (config.eventsPerMinute * tick) / MINUTE);
    this.#most = 1 - config.newUserShare;
    const rest = config.minReturnMinutes / 60;
    const until = (age: number): number =>
      visitors.returns
        .map(
          ({ sessions, meanHours }) => sessions * -Math.expm1(-Math.max(0, age - rest) / meanHours),
        )
        .reduce((sum, part) => sum + part, 0);
    this.byHour = Array.from({ length: LIFETIME_HOURS }, (_, hours) =>
      hours === 0 ? 0 : until(hours + 0.5) - until(hours - 0.5),
    );
  }

  /**
   * Returns the share of sessions by returning visitors, of whom `due` are expected in an hour at weight 1. Of n sessions,
   * n × share = due and n × (first + share × (later − first)) = budget.
   */
  shareOf(due: number): number {
    const { first, later } = this.#lengths;
    const rest = this.#budget - due * (later - first);
    return rest <= 0 ? this.#most : Math.min(this.#most, (due * first) / rest);
  }

  /** Returns the expected page events of a session, if the share of them is by returning visitors. */
  lengthAt(share: number): number {
    return (1 - share) * this.#lengths.first + share * this.#lengths.later;
  }
}

/** Returns the mean page events of an hour, if a tick wants so many. */
export const budgetOf = (config: ModelConfig, wanted: number): number =>
  (meanBudget(wanted, config) * HOUR) / tickMicros(config);

/** Returns how much more often than the mean a visitor returns. */
export const returnFactor = (
  { registered, registeredFactor }: ShopParameters["visitors"],
  isRegistered: boolean,
): number =>
  isRegistered ? registeredFactor : (1 - registered * registeredFactor) / (1 - registered);
