import { type Micros, SECOND } from "../../contract/time.ts";
import type { Behaviour, Course } from "../model/behaviour.ts";
import type { DonorPool, PreparedDonor } from "../model/donors.ts";
import { PAGE_MEMBERS } from "../model/messages.ts";
import { ENTRY_PAGE, expectedSessionLength, nextPage } from "../model/pages.ts";
import { PlainPopulation, type User } from "../model/population.ts";
import { pick, type Rng, uniform } from "../model/random.ts";
import type { ModelConfig } from "./config.ts";

/** Think time per page: at least a second, exponential above it, median 20 s. */
const THINK_MIN: Micros = SECOND;
const THINK_MEAN: Micros = (19 * SECOND) / Math.LN2;

/** Probability that a returning user comes with the usual device. */
export const USES_HOME_DEVICE = 0.85;

/** Every visitor behaves alike. */
export function plainBehaviour(config: ModelConfig, donors: DonorPool): Behaviour {
  const expectedLength = expectedSessionLength(config.maxSessionEvents);
  return {
    dayWeight: () => 1,
    meanStarts: (budget) => budget / expectedLength,
    population: (state) => new PlainPopulation(config, donors, state),
    begin(rng, user) {
      const donor = drawDevice(rng, user);
      return { donor, page: ENTRY_PAGE, course: plainCourse(donor) };
    },
    courseOf: (_, donor) => plainCourse(donor),
  };
}

export const drawDevice = (rng: Rng, { home }: User): PreparedDonor =>
  uniform(rng) < USES_HOME_DEVICE ? home : pick(rng, home.neighbours);

export const plainCourse = (donor: PreparedDonor): Course => ({
  source: donor.source,
  pageMembers: PAGE_MEMBERS,
  nextPage,
  dwell: (rng) => THINK_MIN + Math.floor(-Math.log(1 - uniform(rng)) * THINK_MEAN),
});
