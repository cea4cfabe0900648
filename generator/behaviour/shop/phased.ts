import type { Behaviour, Course } from "../../model/behaviour.ts";
import type { DonorPool } from "../../model/donors.ts";
import type { ModelConfig } from "../config.ts";
import { botCourses, botLength } from "./bots.ts";
import { atPhase, type Phase, phasedWeight, phasesOf } from "./phases.ts";
import { ShopPopulation } from "./population.ts";
import { returnsOf, shopBehaviour } from "./shop.ts";

/** The behaviour shop, whose parameters a scenario changes at known times. */
export function phasedBehaviour(config: ModelConfig, donors: DonorPool): Behaviour {
  const phases = phasesOf(config);
  const [{ parameters }] = phases as readonly [Phase];
  const behaviours = phases.map((phase) => shopBehaviour(config, donors, phase.parameters));
  const [first] = behaviours as [Behaviour];
  if (behaviours.length === 1) return first;
  const behaviourAt = atPhase(phases, behaviours);
  const botShareAt = atPhase(
    phases,
    phases.map(({ botShare }) => botShare),
  );
  const botCourseOf = botCourses();
  const lengthOfBot = botLength(config);
  const returns = returnsOf(config, donors, parameters);
  /** Courses of all phases by that of the first, which sessions of a kind share. */
  const known = new Map<Course, Course>();

  const courseOf: Behaviour["courseOf"] = (user, donor, origin) => {
    if (donors.isBot(donor)) return botCourseOf(donor);
    const courses = behaviours.map((one) => one.courseOf(user, donor, origin));
    const ofFirst = courses[0] as Course;
    const course = known.get(ofFirst) ?? phasedCourse(phases, courses);
    known.set(ofFirst, course);
    return course;
  };
  return {
    dayWeight: phasedWeight(phases),
    meanStarts(budget, at, population) {
      const share = botShareAt(at);
      const visitors = behaviourAt(at).meanStarts(budget, at, population);
      if (share === 0) return visitors;
      return budget / ((1 - share) * (budget / visitors) + share * lengthOfBot);
    },
    population: (state, onSite) =>
      new ShopPopulation(config, donors, state, onSite, parameters.visitors, returns, botShareAt),
    begin(rng, user, isNew, at) {
      if (donors.isBot(user.home)) {
        const course = botCourseOf(user.home);
        return { donor: user.home, page: course.land(rng), course };
      }
      const start = behaviourAt(at).begin(rng, user, isNew, at);
      return { ...start, course: courseOf(user, start.donor, start.origin) };
    },
    courseOf,
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
