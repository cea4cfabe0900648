import { DAY, MINUTE, type Micros } from "../../../contract/time.ts";
import type { ModelConfig } from "../../config.ts";
import type { DonorPool } from "../../model/donors.ts";
import {
  Population,
  type PopulationState,
  type RestingVisitor,
  type User,
} from "../../model/population.ts";
import { type Rng, uniform, uniform53 } from "../../model/random.ts";
import { type Timed, TimeQueue } from "../../model/time-queue.ts";
import type { ShopParameters } from "./parameters.ts";

interface Plan extends Timed {
  readonly user: User;
}

/** Loyal visitors are customers: registered visitors with a plan for their next session. */
const isCustomer = ({ loyalty }: User): boolean => loyalty === "loyal";

const WEEK: Micros = 7 * DAY;

export class ShopPopulation extends Population {
  readonly #parameters: ShopParameters["customers"];
  readonly #pause: Micros;
  readonly #quota: number;
  readonly #plans: TimeQueue<Plan>;

  constructor(
    config: ModelConfig,
    donors: DonorPool,
    state: PopulationState,
    parameters: ShopParameters["customers"],
  ) {
    super(config, donors, {
      ...state,
      resting: state.resting.filter(({ user }) => !isCustomer(user)),
    });
    this.#parameters = parameters;
    this.#pause = Math.round(config.minReturnMinutes * MINUTE);
    this.#quota = Math.floor(parameters.quota * config.populationMax);
    const customers = state.resting.filter(({ user }) => isCustomer(user));
    this.#plans = new TimeQueue(customers.map(({ user, eligibleAt }) => planOf(user, eligibleAt)));
  }

  override get size(): number {
    return super.size + this.#plans.size;
  }

  override snapshot(): PopulationState {
    const others = super.snapshot();
    const customers = this.#plans.toSorted().map(({ user, at }) => ({ user, eligibleAt: at }));
    return { ...others, resting: [...others.resting, ...customers].sort(byTime) };
  }

  override release(rng: Rng, user: User, at: Micros): void {
    if (!isCustomer(user)) {
      super.release(rng, user, at);
      return;
    }
    this.ended();
    if (uniform(rng) >= this.#parameters.weeklyReturn) return;
    const rest = Math.max(0, WEEK - this.#pause);
    this.#plans.push(planOf(user, at + this.#pause + Math.floor(uniform53(rng) * rest)));
  }

  protected override hasReturning(at: Micros): boolean {
    return this.#plans.dueAt <= at || super.hasReturning(at);
  }

  protected override takeReturning(rng: Rng, at: Micros): User | null {
    if (this.#plans.dueAt > at) return super.takeReturning(rng, at);
    return this.#plans.shift()?.user ?? null;
  }

  protected override drawKind(rng: Rng): Pick<User, "loyalty"> & { isRegistered: boolean } {
    const isRegistered = uniform(rng) < this.#parameters.registered;
    if (isRegistered && this.#plans.size < this.#quota) return { loyalty: "loyal", isRegistered };
    return { loyalty: uniform(rng) < CASUAL ? "casual" : "regular", isRegistered };
  }
}

/** Share of casual visitors among those without a plan: with it, departures balance arrivals. */
const CASUAL = 0.38;

const planOf = (user: User, at: Micros): Plan => ({ user, at, sequence: numberOf(user) });

/** The number of a visitor is in the identifier: it orders plans of the same microsecond. */
const numberOf = ({ customId }: User): number => Number.parseInt(customId.slice(-12, -4), 16);

const byTime = (a: RestingVisitor, b: RestingVisitor): number => a.eligibleAt - b.eligibleAt;
