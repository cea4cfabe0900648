import { HOUR, MINUTE, type Micros } from "../../../contract/time.ts";
import type { DonorPool, PreparedDonor } from "../../model/donors.ts";
import type { Population, PopulationState, RestingVisitor, User } from "../../model/population.ts";
import {
  below,
  idOf,
  idPrefix,
  idSuffix,
  pick,
  type Rng,
  type RngState,
  rngState,
  seededRng,
  uniform,
} from "../../model/random.ts";
import type { ModelConfig } from "../config.ts";
import { cumulated } from "./course.ts";
import type { ShopParameters } from "./parameters.ts";
import { LIFETIME_HOURS, type Returns, returnFactor } from "./returns.ts";
import { digit } from "./session-traits.ts";

/** Numbers of bots begin here, so that those of visitors are consecutive. */
const BOTS = 0x80000000;
/** Draws of a returning visitor, of whom some are on the site or rest. */
const ATTEMPTS = 64;

interface Resting extends RestingVisitor {
  readonly number: number;
}

/**
 * Visitors without a limit. A visitor's facts follow from the seed and the visitor's number, so the state only has
 * how many came in each hour.
 */
export class ShopPopulation implements Population {
  readonly #config: ModelConfig;
  readonly #donors: DonorPool;
  readonly #parameters: ShopParameters["visitors"];
  readonly #returns: Returns;
  /** Share of the sessions that bots make. */
  readonly #botShareAt: (at: Micros) => number;
  readonly #registered: number;
  readonly #others: number;
  readonly #key: RngState;
  /** FIFO queue, because the pause is equal for all visitors. */
  #resting: Resting[];
  #restingHead = 0;
  /** Numbers of visitors who are on the site or rest. */
  readonly #busy: Set<number>;
  #visiting: number;
  #created: number;
  /** Hours since T0 before the first of the counts, and visitors before it. */
  #firstHour: number;
  #before: number;
  #counts: number[];
  /** Hour of the share and the limits below, which count the visitors of earlier hours. */
  #hour = -1;
  #share = 0;
  #limits: Float64Array = new Float64Array();
  /** Number of the first visitor of each hour. */
  #firstNumbers: number[] = [];

  constructor(
    config: ModelConfig,
    donors: DonorPool,
    state: PopulationState,
    onSite: readonly User[],
    parameters: ShopParameters["visitors"],
    returns: Returns,
    botShareAt: (at: Micros) => number = () => 0,
  ) {
    this.#config = config;
    this.#donors = donors;
    this.#parameters = parameters;
    this.#returns = returns;
    this.#botShareAt = botShareAt;
    this.#registered = returnFactor(parameters, true);
    this.#others = returnFactor(parameters, false);
    this.#key = rngState(seededRng(config.seed, "visitors"));
    this.#resting = state.resting.map((one) => ({ ...one, number: numberOf(one.user) }));
    this.#busy = new Set([...onSite, ...state.resting.map(({ user }) => user)].map(numberOf));
    this.#visiting = state.visiting;
    this.#created = state.created;
    const { hour = 0, before = 0, counts = [] } = state.arrivals ?? {};
    this.#firstHour = hour;
    this.#before = before;
    this.#counts = [...counts];
  }

  get created(): number {
    return this.#created;
  }

  get size(): number {
    return this.#visiting;
  }

  snapshot(): PopulationState {
    return {
      created: this.#created,
      visiting: this.#visiting,
      eligible: [],
      resting: this.#resting
        .slice(this.#restingHead)
        .map(({ user, eligibleAt }) => ({ user, eligibleAt })),
      arrivals: { hour: this.#firstHour, before: this.#before, counts: [...this.#counts] },
    };
  }

  returningShare(at: Micros): number {
    this.#turnTo(Math.floor((at - this.#config.t0) / HOUR));
    return this.#share;
  }

  admit(rng: Rng, at: Micros): User | null {
    const botShare = this.#botShareAt(at);
    if (botShare > 0 && uniform(rng) < botShare) return this.#admitBot(rng);
    this.#wake(at);
    const share = this.returningShare(at);
    if (this.#visiting >= this.#config.populationMax) return null;
    const returning = uniform(rng) < share ? this.#takeReturning(rng) : null;
    const user = returning ?? this.#create();
    this.#visiting += 1;
    return user;
  }

  /** Admits a bot, which never returns; null if the site is full. */
  #admitBot(rng: Rng): User | null {
    const home = pick(rng, this.#donors.bots);
    if (this.#visiting >= this.#config.populationMax) return null;
    const customId = idPrefix(rng, BOTS + this.#created) + idSuffix(0);
    this.#created += 1;
    this.#visiting += 1;
    return { customId, domainId: null, home, loyalty: LOYALTY };
  }

  release(_rng: Rng, user: User, at: Micros): void {
    this.#visiting -= 1;
    const number = numberOf(user);
    if (number >= BOTS) return;
    const pause = Math.round(this.#config.minReturnMinutes * MINUTE);
    this.#resting.push({ user, eligibleAt: at + pause, number });
  }

  #wake(at: Micros): void {
    let head = this.#restingHead;
    for (; ; head += 1) {
      const next = this.#resting[head];
      if (next === undefined || next.eligibleAt > at) break;
      this.#busy.delete(next.number);
    }
    this.#restingHead = head;
    // Compacting only when most of the queue is read keeps the cost O(1) per visitor.
    if (head > 64 && head * 2 > this.#resting.length) {
      this.#resting = this.#resting.slice(head);
      this.#restingHead = 0;
    }
  }

  /** Prepares the draw of returning visitors for an hour. */
  #turnTo(hour: number): void {
    if (hour === this.#hour) return;
    this.#hour = hour;
    while (this.#firstHour + this.#counts.length <= hour) this.#counts.push(0);
    while (this.#counts.length > LIFETIME_HOURS) {
      this.#before += this.#counts.shift() ?? 0;
      this.#firstHour += 1;
    }
    let number = this.#before;
    let due = 0;
    this.#firstNumbers = [];
    const weights = this.#counts.map((count, index) => {
      this.#firstNumbers.push(number);
      number += count;
      const weight = count * (this.#returns.byHour[hour - this.#firstHour - index] ?? 0);
      due += weight;
      return weight;
    });
    this.#limits = cumulated(weights.map((weight) => (due === 0 ? 0 : weight / due)));
    this.#share = this.#returns.shareOf(due);
  }

  #takeReturning(rng: Rng): User | null {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const hour = placeOf(uniform(rng), this.#limits);
      const number = (this.#firstNumbers[hour] ?? 0) + below(rng, this.#counts[hour] ?? 0);
      const factor = this.#isRegistered(number) ? this.#registered : this.#others;
      if (uniform(rng) * Math.max(this.#registered, this.#others) >= factor) continue;
      if (!this.#busy.has(number)) return this.#visitor(number);
    }
    return null;
  }

  #create(): User {
    const last = this.#counts.length - 1;
    const number = (this.#firstNumbers[last] ?? 0) + (this.#counts[last] ?? 0);
    this.#counts[last] = (this.#counts[last] ?? 0) + 1;
    this.#created += 1;
    return this.#visitor(number);
  }

  #visitor(number: number): User {
    this.#busy.add(number);
    const a = mixed(this.#key[0] ^ number);
    const b = mixed(this.#key[1] ^ number);
    const donors = this.#donors.all;
    return {
      customId: idOf(a, b, mixed(a + b), number, 0),
      domainId: this.#isRegistered(number)
        ? idOf(mixed(a), mixed(b), mixed(a - b), number, 1)
        : null,
      home: donors[Math.floor(this.#shareOf(number, 2) * donors.length)] as PreparedDonor,
      loyalty: LOYALTY,
    };
  }

  #isRegistered(number: number): boolean {
    return this.#shareOf(number, 3) < this.#parameters.registered;
  }

  /** Returns a random number of a visitor from [0, 1), another one for each word of the key. */
  #shareOf(number: number, word: 2 | 3): number {
    return (mixed(this.#key[word] ^ number) >>> 0) * 2 ** -32;
  }
}

/** Required in a state; only `plain` has kinds of visitors. */
const LOYALTY = "regular";

/** The number of a visitor is in the identifier, as eight hexadecimal digits. */
function numberOf({ customId }: User): number {
  let number = 0;
  for (let at = 24; at < 32; at += 1) number = number * 16 + digit(customId, at);
  return number;
}

/** Finalizer of MurmurHash3 (A. Appleby): numbers in order give words without one. */
function mixed(word: number): number {
  let hash = word;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Returns the first place whose limit is above the share. */
function placeOf(share: number, limits: Float64Array): number {
  let [from, to] = [0, limits.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (share < (limits[middle] as number)) to = middle;
    else from = middle + 1;
  }
  return from;
}
