import type { Micros } from "../../contract/time.ts";
import type { PreparedDonor } from "./donors.ts";
import { idSuffix } from "./ids.ts";
import { ENTRY_PAGE, type PageIndex } from "./pages.ts";
import type { User } from "./population.ts";
import { pick, type Rng, uniform } from "./random.ts";
import type { Timed } from "./time-queue.ts";

/** Probability that a returning user comes with the usual device. */
const USES_HOME_DEVICE = 0.85;

export interface SessionFacts {
  readonly at: Micros;
  readonly sequence: number;
  readonly idPrefix: string;
  readonly user: User;
  readonly donor: PreparedDonor;
  readonly page: PageIndex;
  readonly sent: number;
}

export interface Session extends SessionFacts, Timed {
  at: Micros;
  page: PageIndex;
  sent: number;
  readonly clickId: string;
  /** Start of every browser and location message. */
  readonly head: string;
  /** End of every browser message, after the event type. */
  readonly tail: string;
}

export function makeSession(facts: SessionFacts): Session {
  const clickId = flat(facts.idPrefix, idSuffix(0));
  return {
    at: facts.at,
    sequence: facts.sequence,
    idPrefix: facts.idPrefix,
    user: facts.user,
    donor: facts.donor,
    page: facts.page,
    sent: facts.sent,
    clickId,
    head: flat('{"event_id":"', facts.idPrefix),
    tail: flat('","click_id":"', clickId, '",', facts.donor.browser, "}"),
  };
}

/** A template literal leaves a rope that every message would walk again. */
const flat = (...parts: string[]): string => parts.join("");

export const sessionFacts = (session: Session): SessionFacts => ({
  at: session.at,
  sequence: session.sequence,
  idPrefix: session.idPrefix,
  user: session.user,
  donor: session.donor,
  page: session.page,
  sent: session.sent,
});

export const newSession = (
  rng: Rng,
  user: User,
  sequence: number,
  at: Micros,
  id: string,
): Session =>
  makeSession({
    at,
    sequence,
    idPrefix: id,
    user,
    donor: uniform(rng) < USES_HOME_DEVICE ? user.home : pick(rng, user.home.neighbours),
    page: ENTRY_PAGE,
    sent: 0,
  });
