import type { Micros } from "../../contract/time.ts";
import type { PreparedDonor } from "./donors.ts";
import type { PageIndex } from "./pages.ts";
import type { Population, PopulationState, User } from "./population.ts";
import type { Rng } from "./random.ts";

/** An event beside the page events. */
export interface EventFacts {
  readonly type: string;
  /** Further members of the browser message, each after a comma. */
  readonly more: string;
}

/** The part of a session that shopping needs and changes. */
export interface Shopper {
  readonly page: PageIndex;
  /** The page before. */
  readonly from: PageIndex;
  /** Units of both products. */
  basket: readonly [number, number];
}

/** What a session searches and buys; changes the session's basket. */
export interface Shopping {
  land(rng: Rng, session: Shopper): void;
  /** Returns the event that leads from the page before to the present one. */
  arrive(rng: Rng, session: Shopper): EventFacts | undefined;
  /** Returns further members of the page event's browser message. */
  buy(session: Shopper): string;
}

/** Course of one session, derived from the session's facts and therefore not in the state. */
export interface Course {
  /** Referrer and campaign, as JSON members. */
  readonly source: string;
  /** Page address as JSON members, by page. */
  readonly pageMembers: readonly string[];
  /** Missing if visitors only view pages. */
  readonly shopping?: Shopping | undefined;
  /** Returns the page after event number `sent`, shown at `at`; EXIT if the visitor leaves. */
  nextPage(rng: Rng, page: PageIndex, sent: number, at: Micros): PageIndex;
  /** Returns the time on a page before the next one. */
  dwell(rng: Rng, page: PageIndex, at: Micros): Micros;
}

/** Facts about a session that are known at its start. */
interface SessionStart {
  readonly donor: PreparedDonor;
  readonly page: PageIndex;
  readonly course: Course;
  /** Name of a traffic source that replaces the donor's. */
  readonly origin?: string | undefined;
}

/** Decisions about visitors. Pure: the caller provides the random numbers. */
export interface Behaviour {
  /** Returns the factor of weekdays and holidays on the base intensity. */
  dayWeight(at: Micros): number;
  /** Returns the expected number of sessions for a budget of page events at a time. */
  meanStarts(budget: number, at: Micros, population: Population): number;
  /** @param onSite the users of active sessions */
  population(state: PopulationState, onSite: readonly User[]): Population;
  begin(rng: Rng, user: User, isNew: boolean, at: Micros): SessionStart;
  courseOf(user: User, donor: PreparedDonor, origin?: string): Course;
}
