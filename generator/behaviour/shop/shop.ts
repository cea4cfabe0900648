import { type ReturnSource, returnSources } from "../../catalogue/sources.ts";
import type { Behaviour, Shopping } from "../../model/behaviour.ts";
import type { DonorPool, PreparedDonor } from "../../model/donors.ts";
import { pageMembers } from "../../model/messages.ts";
import type { User } from "../../model/population.ts";
import type { ModelConfig } from "../config.ts";
import { drawDevice } from "../plain.ts";
import { cumulated, draw, ShopCourse } from "./course.ts";
import { mixtureOf } from "./mixture.ts";
import { dayWeight, SHOP, type ShopParameters } from "./parameters.ts";
import { ShopPopulation } from "./population.ts";
import { type Lengths, Returns } from "./returns.ts";
import { assignment, isPaid, traitsOf, VARIANTS, type Variant } from "./session-traits.ts";
import { shoppingOf } from "./shopping.ts";
import { lengthOf, walkOf } from "./walk.ts";

/** Place of a first session's origin, which is the donor's. */
const FIRST = -1;
const ORIGINS = Object.keys(returnSources) as ReturnSource[];

/**
 * Visitors differ by device, source, country and history; docs/explanation/shop.md says how. Pages are a Markov chain
 * (D. A. Menascé et al., ACM Conference on Electronic Commerce, 1999), visits a Poisson process whose rate differs between visitors
 * and falls with time (D. C. Schmittlein et al., "Counting your customers", Management Science 33, 1987).
 */
export function shopBehaviour(
  config: ModelConfig,
  donors: DonorPool,
  parameters: ShopParameters = SHOP,
): Behaviour {
  const returns = returnsOf(config, donors, parameters);
  const courses = new Courses(parameters);
  const chains = originTables(parameters);
  return {
    dayWeight: dayWeight(parameters),
    meanStarts: (budget, at, population) =>
      budget / returns.lengthAt(population.returningShare(at)),
    population: (state, onSite) =>
      new ShopPopulation(config, donors, state, onSite, parameters.visitors, returns),
    begin(rng, user, isNew) {
      if (isNew) {
        const course = courses.of(user, user.home, FIRST);
        return { donor: user.home, page: course.land(rng), course };
      }
      const donor = drawDevice(rng, user);
      const chain = courses.isPaid(user.home) ? chains.afterPaid : chains.afterUnpaid;
      const place = draw(rng, chain);
      const course = courses.of(user, donor, place);
      return { donor, page: course.land(rng), course, origin: ORIGINS[place] };
    },
    courseOf: (user, donor, origin) =>
      courses.of(user, donor, ORIGINS.indexOf(origin as ReturnSource)),
  };
}

interface DonorEntry {
  readonly isPaid: boolean;
  readonly first: Row;
  readonly later: Row;
}
/** Courses by variant and origin; donors of one kind share them. */
type Row = (ShopCourse | undefined)[];

class Courses {
  readonly #parameters: ShopParameters;
  readonly #pageMembers: readonly (readonly string[])[];
  readonly #shopping: readonly Shopping[];
  readonly #variantOf: (user: User) => Variant;
  readonly #byDonor: (DonorEntry | undefined)[] = [];
  readonly #rows = new Map<string, Row>();

  constructor(parameters: ShopParameters) {
    this.#parameters = parameters;
    this.#variantOf = assignment(parameters);
    this.#shopping = VARIANTS.map((variant) => shoppingOf(parameters, variant));
    const { name } = parameters.experiment;
    this.#pageMembers = VARIANTS.map((variant) => pageMembers(`?exp=${name}.${variant}`));
  }

  isPaid(donor: PreparedDonor): boolean {
    return this.#entry(donor).isPaid;
  }

  /** @param place of the origin in ORIGINS, or FIRST */
  of(user: User, donor: PreparedDonor, place: number): ShopCourse {
    const { first, later } = this.#entry(donor);
    const row = place === FIRST ? first : later;
    const variant = this.#variantOf(user);
    const index = (place + 1) * VARIANTS.length + (variant === "a" ? 0 : 1);
    const known = row[index];
    if (known !== undefined) return known;
    const course = this.#make(donor, ORIGINS[place], variant);
    row[index] = course;
    return course;
  }

  #entry(donor: PreparedDonor): DonorEntry {
    const known = this.#byDonor[donor.index];
    if (known !== undefined) return known;
    const { device, country, browser } = traitsOf(this.#parameters, donor, undefined, "a");
    const kind = [device, country, browser].join("\n");
    const entry = {
      isPaid: isPaid(this.#parameters, donor),
      first: this.#row(`${kind}\n${donor.source}`),
      later: this.#row(kind),
    };
    this.#byDonor[donor.index] = entry;
    return entry;
  }

  #row(key: string): Row {
    const row = this.#rows.get(key) ?? [];
    this.#rows.set(key, row);
    return row;
  }

  #make(donor: PreparedDonor, origin: ReturnSource | undefined, variant: Variant): ShopCourse {
    const walk = walkOf(this.#parameters, traitsOf(this.#parameters, donor, origin, variant));
    const members = {
      source: origin === undefined ? donor.source : RETURN_MEMBERS[origin],
      pageMembers: this.#pageMembers[VARIANTS.indexOf(variant)] ?? [],
      shopping: this.#shopping[VARIANTS.indexOf(variant)],
    };
    return new ShopCourse(walk, members);
  }
}

const RETURN_MEMBERS = Object.fromEntries(
  ORIGINS.map((origin) => [origin, JSON.stringify(returnSources[origin]).slice(1, -1)]),
) as Record<ReturnSource, string>;

function originTables({ referralChain }: ShopParameters) {
  const table = (shares: Readonly<Record<ReturnSource, number>>) =>
    cumulated(ORIGINS.map((origin) => shares[origin]));
  return {
    afterPaid: table(referralChain.afterPaid),
    afterUnpaid: table(referralChain.afterUnpaid),
  };
}

export const returnsOf = (config: ModelConfig, donors: DonorPool, parameters: ShopParameters) =>
  new Returns(config, parameters, lengthsOf(config, donors, parameters));

/** Pools live long and simulations restart often. */
const lengths = new WeakMap<DonorPool, Map<string, Lengths>>();

function lengthsOf(config: ModelConfig, donors: DonorPool, parameters: ShopParameters): Lengths {
  const { maxSessionEvents } = config;
  const key = JSON.stringify([maxSessionEvents, parameters]);
  const known = lengths.get(donors) ?? new Map<string, Lengths>();
  lengths.set(donors, known);
  const found = known.get(key) ?? computeLengths(maxSessionEvents, donors, parameters);
  known.set(key, found);
  return found;
}

function computeLengths(maxEvents: number, donors: DonorPool, parameters: ShopParameters): Lengths {
  const lengths = { first: 0, later: 0 };
  for (const { traits, weight } of mixtureOf(parameters, donors)) {
    const length = weight * lengthOf(walkOf(parameters, traits), maxEvents);
    lengths[traits.isReturning ? "later" : "first"] += length;
  }
  return lengths;
}
