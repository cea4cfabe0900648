import { MINUTE, type Micros } from "../../contract/time.ts";
import type { SimulationConfig } from "./config.ts";
import type { DonorPool, PreparedDonor } from "./donors.ts";
import { below, idPrefix, idSuffix, pickWeighted, type Rng, uniform } from "./random.ts";

/** Kinds of users. `leaving`: probability of leaving after a session / share of new users. */
export const loyalties = {
  casual: { weight: 0.8, leaving: 5.1, registered: 0.15 },
  regular: { weight: 0.15, leaving: 0.67, registered: 0.5 },
  loyal: { weight: 0.05, leaving: 0.08, registered: 0.8 },
} as const;

export type Loyalty = keyof typeof loyalties;
const kinds = Object.entries(loyalties).map(([name, kind]) => ({ name: name as Loyalty, ...kind }));

/** Share of the population cap at which arrivals and departures balance. */
const COMFORT = 0.9;

export interface User {
  readonly customId: string;
  /** Account id; null for a user who never registers. */
  readonly domainId: string | null;
  readonly home: PreparedDonor;
  readonly loyalty: Loyalty;
}

export interface RestingVisitor {
  readonly user: User;
  readonly eligibleAt: Micros;
}

/** Visitors have consecutive numbers, so their hours follow from how many came. */
interface Arrivals {
  /** Number of hours of model time before the first count. */
  readonly hour: number;
  /** Number of visitors before the first count. */
  readonly before: number;
  readonly counts: number[];
}

export interface PopulationState {
  readonly created: number;
  readonly visiting: number;
  readonly eligible: readonly User[];
  /** Resting users in order of `eligibleAt`. */
  readonly resting: readonly RestingVisitor[];
  /** New visitors by hour; missing if returns do not depend on it. */
  readonly arrivals?: Arrivals | undefined;
}

/** All users; the caller provides the random numbers. */
export interface Population {
  /** Number of users so far. */
  readonly created: number;
  /** Number of active users. */
  readonly size: number;
  /** Returns the expected share of returning users among the sessions that begin. */
  returningShare(at: Micros): number;
  snapshot(): PopulationState;
  /** Chooses the user of a session; null if the caps allow none. */
  admit(rng: Rng, at: Micros): User | null;
  release(rng: Rng, user: User, at: Micros): void;
}

/** Each active user is visiting, resting or eligible to return. */
export class PlainPopulation implements Population {
  readonly #config: SimulationConfig;
  readonly #donors: DonorPool;
  readonly #eligible: User[];
  /** FIFO queue, because the pause is equal for all users. */
  #resting: RestingVisitor[];
  #restingHead = 0;
  #visiting: number;
  #created: number;

  constructor(config: SimulationConfig, donors: DonorPool, state: PopulationState) {
    this.#config = config;
    this.#donors = donors;
    this.#eligible = [...state.eligible];
    this.#resting = [...state.resting];
    this.#visiting = state.visiting;
    this.#created = state.created;
  }

  get created(): number {
    return this.#created;
  }

  get size(): number {
    return this.#visiting + this.#eligible.length + this.#resting.length - this.#restingHead;
  }

  snapshot(): PopulationState {
    return {
      created: this.#created,
      visiting: this.#visiting,
      eligible: [...this.#eligible],
      resting: this.#resting.slice(this.#restingHead),
    };
  }

  returningShare(): number {
    return 1 - this.#config.newUserShare;
  }

  admit(rng: Rng, at: Micros): User | null {
    this.#wake(at);
    const hasRoom = this.size < this.#config.populationMax;
    const prefersNew = uniform(rng) < this.#config.newUserShare;
    const isNew = hasRoom && (prefersNew || this.#eligible.length === 0);
    const user = isNew ? this.#create(rng) : this.#takeReturning(rng);
    if (user !== null) this.#visiting += 1;
    return user;
  }

  release(rng: Rng, user: User, at: Micros): void {
    const crowding = this.size / (COMFORT * this.#config.populationMax);
    const pressure = crowding * crowding * crowding * crowding;
    const leaving = this.#config.newUserShare * loyalties[user.loyalty].leaving * pressure;
    this.#visiting -= 1;
    if (uniform(rng) < leaving) return;
    const pause = Math.round(this.#config.minReturnMinutes * MINUTE);
    this.#resting.push({ user, eligibleAt: at + pause });
  }

  #wake(at: Micros): void {
    let head = this.#restingHead;
    for (; ; head += 1) {
      const next = this.#resting[head];
      if (next === undefined || next.eligibleAt > at) break;
      this.#eligible.push(next.user);
    }
    this.#restingHead = head;
    // Compacting only when most of the queue is read keeps the cost O(1) per user.
    if (head > 64 && head * 2 > this.#resting.length) {
      this.#resting = this.#resting.slice(head);
      this.#restingHead = 0;
    }
  }

  #takeReturning(rng: Rng): User | null {
    const index = below(rng, this.#eligible.length);
    const last = this.#eligible.pop();
    if (last === undefined) return null;
    const user = this.#eligible[index];
    if (user === undefined) return last;
    this.#eligible[index] = last;
    return user;
  }

  #create(rng: Rng): User {
    const sequence = this.#created;
    this.#created += 1;
    const { name: loyalty, registered } = pickWeighted(rng, kinds);
    const isRegistered = uniform(rng) < registered;
    return {
      customId: idPrefix(rng, sequence) + idSuffix(0),
      domainId: isRegistered ? idPrefix(rng, sequence) + idSuffix(1) : null,
      home: this.#donors.draw(rng),
      loyalty,
    };
  }
}
