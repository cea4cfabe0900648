import { PAGES } from "../../../contract/streams.ts";
import { type Micros, SECOND } from "../../../contract/time.ts";
import type { Course, Shopping } from "../../model/behaviour.ts";
import { EXIT, type PageIndex } from "../../model/pages.ts";
import { type Rng, uniform } from "../../model/random.ts";
import type { Walk } from "./walk.ts";

/** Typed, so that every table has the same representation in the engine. */
export function cumulated(shares: readonly number[]): Float64Array {
  const limits = new Float64Array(shares.length);
  let sum = 0;
  for (let index = 0; index < shares.length; index += 1) {
    sum += shares[index] as number;
    // A sum of 1 but for rounding leaves no remainder.
    limits[index] = sum > 1 - 1e-9 ? 1 : sum;
  }
  return limits;
}

/** The place in a row of limits that begins at `from`, or EXIT for the remainder. */
export function draw(rng: Rng, limits: Float64Array, from = 0, length = limits.length): number {
  const share = uniform(rng);
  for (let place = 0; place < length; place += 1) {
    if (share < (limits[from + place] as number)) return place;
  }
  return EXIT;
}

const PLACES = PAGES.length;
/** Rows before those by page. */
const [FIRST, LATER] = [1, 1 + PLACES];

interface Members {
  readonly shopping?: Shopping | undefined;
  readonly source: string;
  readonly pageMembers: readonly string[];
}

/** A class, because closures made per course cost a third of the model's speed. */
export class ShopCourse implements Course {
  readonly source: string;
  readonly pageMembers: readonly string[];
  readonly shopping: Shopping | undefined;
  /** Rows of the landing page, of the first step by page, and of later steps by page; one table is fewer reads. */
  readonly #limits: Float64Array;
  readonly #seconds: readonly number[];

  constructor({ landing, first, later, seconds }: Walk, members: Members) {
    this.source = members.source;
    this.pageMembers = members.pageMembers;
    this.shopping = members.shopping;
    this.#limits = Float64Array.from(
      [landing, ...first, ...later].flatMap((row) => [...cumulated(row)]),
    );
    this.#seconds = seconds;
  }

  land(rng: Rng): PageIndex {
    return draw(rng, this.#limits, 0, PLACES);
  }

  nextPage(rng: Rng, page: PageIndex, sent: number): PageIndex {
    const row = (sent === 1 ? FIRST : LATER) + page;
    return draw(rng, this.#limits, row * PLACES, PLACES);
  }

  dwell(rng: Rng, page: PageIndex): Micros {
    const mean = ((this.#seconds[page] as number) - 1) * SECOND;
    return SECOND + Math.floor(-Math.log(1 - uniform(rng)) * mean);
  }
}
