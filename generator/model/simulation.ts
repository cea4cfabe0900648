import { type DefectCounts, noDefects } from "../../contract/defects.ts";
import type { MessageBatch } from "../../contract/ports.ts";
import type { Micros } from "../../contract/time.ts";
import { BatchBuilder, type LateEvent } from "./batch-builder.ts";
import type { Behaviour } from "./behaviour.ts";
import { type TickPlanner, tickPlanner } from "./budget.ts";
import { type SimulationConfig, tickMicros } from "./config.ts";
import { DefectDice, type Incident } from "./defects.ts";
import { EXIT } from "./pages.ts";
import type { Population, PopulationState } from "./population.ts";
import { idPrefix, type Rng, type RngState, restoreRng, rngState, seededRng } from "./random.ts";
import { makeSession, type Session, type SessionFacts, sessionFacts } from "./session.ts";
import { TimeQueue } from "./time-queue.ts";

interface SimulationCounters {
  sessions: number;
  /** Number of page events, including late ones that are not sent yet. */
  events: number;
  /** Number of sessions rejected by the caps. */
  rejectedSessions: number;
  ticks: number;
  /** Number of ticks limited by GEN_MIN_EVENTS_PER_TICK or GEN_MAX_EVENTS_PER_TICK. */
  clampedTicks: number;
}

/** State from which a simulation continues exactly. */
export interface SimulationState {
  readonly modelTime: Micros;
  readonly nextTickAt: Micros;
  readonly rng: { readonly walk: RngState; readonly defects: RngState };
  /** Start times of the current tick's sessions that have not begun. */
  readonly starts: readonly Micros[];
  readonly sessions: readonly SessionFacts[];
  readonly population: PopulationState;
  readonly late: readonly LateEvent[];
  readonly counters: Readonly<SimulationCounters>;
  readonly defects: DefectCounts;
}

const initialState = (config: SimulationConfig): SimulationState => ({
  modelTime: config.t0,
  nextTickAt: config.t0,
  rng: {
    walk: rngState(seededRng(config.seed, "walk")),
    defects: rngState(seededRng(config.seed, "defects")),
  },
  starts: [],
  sessions: [],
  population: { created: 0, visiting: 0, eligible: [], resting: [] },
  late: [],
  counters: { sessions: 0, events: 0, rejectedSessions: 0, ticks: 0, clampedTicks: 0 },
  defects: noDefects(),
});

/** Simulation of visitors: a pure function of configuration, donors, state and time. */
export class Simulation {
  readonly #config: SimulationConfig;
  readonly #planner: TickPlanner;
  readonly #tickLength: Micros;
  readonly #rng: Rng;
  readonly #defectRng: Rng;
  readonly #builder: BatchBuilder;
  readonly #behaviour: Behaviour;
  readonly #population: Population;
  readonly #sessions: TimeQueue<Session>;
  readonly #counters: SimulationCounters;
  #starts: readonly Micros[];
  #nextStart = 0;
  #nextTickAt: Micros;
  #modelTime: Micros;

  constructor(
    config: SimulationConfig,
    behaviour: Behaviour,
    incidents: readonly Incident[],
    state = initialState(config),
  ) {
    this.#config = config;
    this.#behaviour = behaviour;
    this.#tickLength = tickMicros(config);
    this.#rng = restoreRng(state.rng.walk);
    this.#defectRng = restoreRng(state.rng.defects);
    const dice = new DefectDice(this.#defectRng, config.defects, incidents);
    this.#builder = new BatchBuilder(dice, state.late, structuredClone(state.defects));
    this.#population = this.#behaviour.population(
      state.population,
      state.sessions.map(({ user }) => user),
    );
    this.#planner = tickPlanner(config, this.#behaviour, this.#population);
    this.#sessions = new TimeQueue(
      state.sessions.map((facts) =>
        makeSession(facts, this.#behaviour.courseOf(facts.user, facts.donor, facts.origin)),
      ),
    );
    this.#counters = { ...state.counters };
    this.#starts = state.starts;
    this.#nextTickAt = state.nextTickAt;
    this.#modelTime = state.modelTime;
  }

  /** Model time before which all messages are emitted. */
  get modelTime(): Micros {
    return this.#modelTime;
  }

  get activeSessions(): number {
    return this.#sessions.size;
  }

  get population(): number {
    return this.#population.size;
  }

  get users(): number {
    return this.#population.created;
  }

  get counters(): Readonly<SimulationCounters> {
    return this.#counters;
  }

  get defects(): DefectCounts {
    return this.#builder.defects;
  }

  get coefficient(): number {
    return this.#planner.coefficient(this.#modelTime);
  }

  /** Target page events per minute of wall-clock time. */
  get targetRate(): number {
    const weight = this.#behaviour.dayWeight(this.#modelTime);
    return this.#config.eventsPerMinute * this.#config.timeSpeed * this.coefficient * weight;
  }

  advance(until: Micros): MessageBatch {
    for (;;) {
      const startAt = this.#starts[this.#nextStart] ?? Number.POSITIVE_INFINITY;
      const sessionAt = this.#sessions.dueAt;
      const lateAt = this.#builder.late.dueAt;
      const at = Math.min(startAt, sessionAt, lateAt);
      if (this.#nextTickAt <= at) {
        if (this.#nextTickAt >= until) break;
        this.#startTick();
      } else if (at >= until) break;
      else if (startAt === at) this.#begin(at);
      else if (sessionAt === at) this.#step(at);
      else this.#builder.releaseLate();
    }
    this.#modelTime = Math.max(this.#modelTime, until);
    return this.#builder.take();
  }

  snapshot(): SimulationState {
    return {
      modelTime: this.#modelTime,
      nextTickAt: this.#nextTickAt,
      rng: { walk: rngState(this.#rng), defects: rngState(this.#defectRng) },
      starts: this.#starts.slice(this.#nextStart),
      sessions: this.#sessions.toSorted().map(sessionFacts),
      population: this.#population.snapshot(),
      late: this.#builder.late.toSorted(),
      counters: { ...this.#counters },
      defects: structuredClone(this.#builder.defects),
    };
  }

  #startTick(): void {
    const start = this.#nextTickAt;
    this.#nextTickAt = start + this.#tickLength;
    const tick = this.#planner.plan(this.#rng, start, this.#nextTickAt);
    this.#starts = tick.starts;
    this.#nextStart = 0;
    this.#counters.ticks += 1;
    if (tick.clamped) this.#counters.clampedTicks += 1;
  }

  #begin(at: Micros): void {
    this.#nextStart += 1;
    const usersBefore = this.#population.created;
    const isFull = this.#sessions.size >= this.#config.maxActiveSessions;
    const user = isFull ? null : this.#population.admit(this.#rng, at);
    if (user === null) {
      this.#counters.rejectedSessions += 1;
      return;
    }
    const sequence = this.#counters.sessions;
    this.#counters.sessions += 1;
    const id = idPrefix(this.#rng, sequence);
    const isNew = this.#population.created > usersBefore;
    const { donor, page, origin, course } = this.#behaviour.begin(this.#rng, user, isNew, at);
    const facts = {
      at,
      sequence,
      idPrefix: id,
      user,
      donor,
      page,
      sent: 0,
      origin,
      ...NOTHING_YET,
    };
    const session = makeSession(facts, course);
    course.shopping?.land(this.#rng, session);
    this.#builder.session(session, at);
    if (this.#showPage(session, at)) this.#sessions.push(session);
  }

  #step(at: Micros): void {
    const session = this.#sessions.first;
    if (session === undefined) return;
    if (this.#showPage(session, at)) this.#sessions.reorderFirst();
    else this.#sessions.shift();
  }

  /** Emits the next page event. @returns false when the session is over */
  #showPage(session: Session, at: Micros): boolean {
    const { course } = session;
    const { shopping } = course;
    const before = session.from === EXIT ? undefined : shopping?.arrive(this.#rng, session);
    session.sent += 1;
    if (before !== undefined) {
      this.#builder.other(session, at, before);
      session.others += 1;
    }
    this.#counters.events += 1;
    this.#builder.page(session, at, shopping?.buy(session) ?? "");
    const isLast = session.sent >= this.#config.maxSessionEvents;
    const { page: shown, sent } = session;
    const page = isLast ? EXIT : course.nextPage(this.#rng, shown, sent, at);
    if (page === EXIT) {
      this.#population.release(this.#rng, session.user, at);
      return false;
    }
    session.at = at + course.dwell(this.#rng, shown, at);
    if (shopping !== undefined) session.from = shown;
    session.page = page;
    return true;
  }
}

const NOTHING_YET = { from: EXIT, others: 0, basket: [0, 0] } as const;
