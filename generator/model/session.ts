import type { Micros } from "../../contract/time.ts";
import type { Course } from "./behaviour.ts";
import type { PreparedDonor } from "./donors.ts";
import type { PageIndex } from "./pages.ts";
import type { User } from "./population.ts";
import { idSuffix } from "./random.ts";
import type { Timed } from "./time-queue.ts";

export interface SessionFacts {
  readonly at: Micros;
  readonly sequence: number;
  readonly idPrefix: string;
  readonly user: User;
  readonly donor: PreparedDonor;
  readonly page: PageIndex;
  readonly sent: number;
  /** Name of a traffic source that replaces the donor's. */
  readonly origin?: string | undefined;
  /** The page before; EXIT at first, and without shopping. */
  readonly from: PageIndex;
  /** Number of events that are no page events. */
  readonly others: number;
  /** Units of both products. */
  readonly basket: readonly [number, number];
}

export interface Session extends SessionFacts, Timed {
  at: Micros;
  page: PageIndex;
  sent: number;
  from: PageIndex;
  others: number;
  basket: readonly [number, number];
  readonly course: Course;
  readonly clickId: string;
  /** Start of every browser and location message. */
  readonly head: string;
  /** End of every browser message, after the event type. */
  readonly tail: string;
}

/** The site of generated sessions, as a JSON member after the session. */
const SITE = '","site":"generated",';

export function makeSession(facts: SessionFacts, course: Course): Session {
  const clickId = flat(facts.idPrefix, idSuffix(0));
  return {
    at: facts.at,
    sequence: facts.sequence,
    idPrefix: facts.idPrefix,
    user: facts.user,
    donor: facts.donor,
    page: facts.page,
    sent: facts.sent,
    origin: facts.origin,
    from: facts.from,
    others: facts.others,
    basket: facts.basket,
    course,
    clickId,
    head: flat('{"event_id":"', facts.idPrefix),
    tail: flat('","click_id":"', clickId, SITE, facts.donor.browser, "}"),
  };
}

/** Concatenates to a flat string; a template literal gives a rope, slow for every message. */
const flat = (...parts: string[]): string => parts.join("");

export const sessionFacts = ({
  course: _course,
  clickId: _clickId,
  head: _head,
  tail: _tail,
  ...facts
}: Session): SessionFacts => facts;
