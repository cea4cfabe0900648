import { type Micros, SECOND } from "../../../contract/time.ts";
import type { Course, Shopping } from "../../model/behaviour.ts";
import { EXIT, type PageIndex } from "../../model/pages.ts";
import { type Rng, uniform } from "../../model/random.ts";
import type { Walk } from "./walk.ts";

/** Makes cumulated shares. Equal ones are one array, so that all fit into the processor's cache. */
type Cumulate = (shares: readonly number[]) => Float64Array;

export function cumulation(): Cumulate {
  const known = new Map<string, Float64Array>();
  return (shares) => {
    const key = shares.join();
    const limits = known.get(key) ?? cumulated(shares);
    known.set(key, limits);
    return limits;
  };
}

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

/** The index, or EXIT for the remainder. */
export function draw(rng: Rng, limits: Float64Array): number {
  const share = uniform(rng);
  for (let index = 0; index < limits.length; index += 1) {
    if (share < (limits[index] as number)) return index;
  }
  return EXIT;
}

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
  readonly #landing: Float64Array;
  readonly #first: readonly Float64Array[];
  readonly #later: readonly Float64Array[];
  readonly #seconds: readonly number[];

  constructor({ landing, first, later, seconds }: Walk, members: Members, cumulate: Cumulate) {
    this.source = members.source;
    this.pageMembers = members.pageMembers;
    this.shopping = members.shopping;
    this.#landing = cumulate(landing);
    this.#first = first.map(cumulate);
    this.#later = later.map(cumulate);
    this.#seconds = seconds;
  }

  land(rng: Rng): PageIndex {
    return draw(rng, this.#landing);
  }

  nextPage(rng: Rng, page: PageIndex, sent: number): PageIndex {
    return draw(rng, (sent === 1 ? this.#first : this.#later)[page] as Float64Array);
  }

  dwell(rng: Rng, page: PageIndex): Micros {
    const mean = ((this.#seconds[page] as number) - 1) * SECOND;
    return SECOND + Math.floor(-Math.log(1 - uniform(rng)) * mean);
  }
}
