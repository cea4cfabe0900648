import type { Micros } from "../../../contract/time.ts";
import type { Behaviour, Course } from "../../model/behaviour.ts";
import type { DonorPool } from "../../model/donors.ts";
import type { ModelConfig } from "../config.ts";
import { botCourses, botLength, ScenarioPopulation } from "./bots.ts";
import { atPhase, type Phase, phasedWeight, phasesOf } from "./phases.ts";
import { returnsOf, shopBehaviour } from "./shop.ts";

/** The behaviour shop, whose parameters a scenario changes at known times. */
export function phasedBehaviour(config: ModelConfig, donors: DonorPool): Behaviour {
  const phases = phasesOf(config);
  const [first, ...others] = phases.map(({ parameters }) =>
    shopBehaviour(config, donors, parameters),
  ) as [Behaviour, ...Behaviour[]];
  if (others.length === 0) return first;
  return new PhasedBehaviour(config, donors, phases, [first, ...others]);
}

class PhasedBehaviour implements Behaviour {
  readonly dayWeight: (at: Micros) => number;
  readonly #config: ModelConfig;
  readonly #donors: DonorPool;
  readonly #phases: readonly Phase[];
  readonly #behaviours: readonly Behaviour[];
  readonly #behaviourAt: (at: Micros) => Behaviour;
  readonly #shareAt: (at: Micros) => number;
  readonly #botCourseOf: ReturnType<typeof botCourses>;
  readonly #botLength: number;
  /** Courses of all phases by that of the first, which sessions of a kind share. */
  readonly #courses = new Map<Course, Course>();

  constructor(
    config: ModelConfig,
    donors: DonorPool,
    phases: readonly Phase[],
    behaviours: readonly Behaviour[],
  ) {
    this.dayWeight = phasedWeight(phases);
    this.#config = config;
    this.#donors = donors;
    this.#phases = phases;
    this.#behaviours = behaviours;
    this.#behaviourAt = atPhase(phases, behaviours);
    this.#shareAt = atPhase(
      phases,
      phases.map(({ botShare }) => botShare),
    );
    this.#botCourseOf = botCourses();
    this.#botLength = botLength(config);
  }

  meanStarts: Behaviour["meanStarts"] = (budget, at, population) => {
    const share = this.#shareAt(at);
    const visitors = this.#behaviourAt(at).meanStarts(budget, at, population);
    if (share === 0) return visitors;
    const length = (1 - share) * (budget / visitors) + share * this.#botLength;
    return budget / length;
  };

  population: Behaviour["population"] = (state, onSite) => {
    const [{ parameters }] = this.#phases as readonly [Phase];
    const returns = returnsOf(this.#config, this.#donors, parameters);
    return new ScenarioPopulation(
      this.#donors,
      this.#shareAt,
      this.#config,
      this.#donors,
      state,
      onSite,
      parameters.visitors,
      returns,
    );
  };

  begin: Behaviour["begin"] = (rng, user, isNew, at) => {
    if (this.#donors.isBot(user.home)) {
      const course = this.#botCourseOf(user.home);
      return { donor: user.home, page: course.land(rng), course };
    }
    const start = this.#behaviourAt(at).begin(rng, user, isNew, at);
    return { ...start, course: this.courseOf(user, start.donor, start.origin) };
  };

  courseOf: Behaviour["courseOf"] = (user, donor, origin) => {
    if (this.#donors.isBot(donor)) return this.#botCourseOf(donor);
    const courses = this.#behaviours.map((one) => one.courseOf(user, donor, origin));
    const first = courses[0] as Course;
    const known = this.#courses.get(first) ?? phasedCourse(this.#phases, courses);
    this.#courses.set(first, known);
    return known;
  };
}

/** Each step follows the parameters of its time, also in a session that began before a change. */
function phasedCourse(phases: readonly Phase[], courses: readonly Course[]): Course {
  const courseAt = atPhase(phases, courses);
  const { source, pageMembers, shopping } = courses[0] as Course;
  return {
    source,
    pageMembers,
    shopping,
    nextPage: (rng, page, sent, at) => courseAt(at).nextPage(rng, page, sent, at),
    dwell: (rng, page, at) => courseAt(at).dwell(rng, page, at),
  };
}
