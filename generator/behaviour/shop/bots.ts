import { PAGES } from "../../../contract/streams.ts";
import type { PreparedDonor } from "../../model/donors.ts";
import { PAGE_MEMBERS } from "../../model/messages.ts";
import type { ModelConfig } from "../config.ts";
import { ShopCourse } from "./course.ts";
import { lengthOf, type Walk } from "./walk.ts";

const [A, B] = [PAGES.indexOf("/product_a"), PAGES.indexOf("/product_b")];
const only = (to: number, share: number): number[] =>
  PAGES.map((_, page) => (page === to ? share : 0));
const rows = PAGES.map((_, page) => (page === A ? only(B, 0.95) : only(A, 0.95)));

/** Bots read the two product pages in turn, fast, and never buy. */
export const BOT_WALK: Walk = {
  landing: PAGES.map((_, page) => (page === A || page === B ? 0.5 : 0)),
  first: rows,
  later: rows,
  seconds: PAGES.map(() => 2),
};

export const botLength = ({ maxSessionEvents }: Pick<ModelConfig, "maxSessionEvents">): number =>
  lengthOf(BOT_WALK, maxSessionEvents);

/** Bots are not part of the experiment, so their addresses have no variant. */
export function botCourses(): (donor: PreparedDonor) => ShopCourse {
  const courses = new Map<PreparedDonor, ShopCourse>();
  return (donor) => {
    const members = { source: donor.source, pageMembers: PAGE_MEMBERS };
    const course = courses.get(donor) ?? new ShopCourse(BOT_WALK, members);
    courses.set(donor, course);
    return course;
  };
}
