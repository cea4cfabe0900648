import { setTimeout as sleep } from "node:timers/promises";
import { type Rng, uniform } from "../../../generator/model/random.ts";
import { transform } from "../../../warehouse/batch/transform.ts";
import type { ServerDatabase } from "../../../warehouse/database/http.ts";
import { digests } from "../../../warehouse/reconciliation/digests.ts";
import type { TestServer } from "../server.ts";
import { requireCommitsInTime, waitForMutations } from "./commits.ts";
import type { Content } from "./content.ts";
import { everything, isHeldBy } from "./observe.ts";
import { type Outcome, Runner, type Task } from "./runner.ts";

/** Numbers of events. `takeOvers`: leases taken from a stopped or killed holder. */
export interface SoakCounts {
  rounds: number;
  stops: number;
  kills: number;
  takeOvers: number;
  lost: number;
  refusedByGate: number;
  cleanStarts: number;
  /** Number of interrupted clears that left messages and had no clean start afterwards. */
  goneOn: number;
  resets: number;
}

const LIFETIME_MS = 1_500;
const LEASE = { lifetimeMs: LIFETIME_MS, waitMs: 300_000 };
/** Approximate number of statements of a full refresh; a greater number has no effect. */
const STATEMENTS = 40;
/** Approximate number of tables that a clear empties. */
const CLEAR_STATEMENTS = 30;

/** Rounds of a soak test, one after another on one server. */
export class Rounds {
  readonly counts: SoakCounts = {
    rounds: 0,
    stops: 0,
    kills: 0,
    takeOvers: 0,
    lost: 0,
    refusedByGate: 0,
    cleanStarts: 0,
    goneOn: 0,
    resets: 0,
  };
  readonly #db: ServerDatabase;
  readonly #server: TestServer;
  readonly #content: Content;
  readonly #rng: Rng;
  readonly story: string[] = [];
  #runners: Runner[] = [];
  /** True if the layers are unreliable, so that the next round begins with a clean start. */
  #isSpoilt = true;
  /** Duration of the latest undisturbed run, ms; longer on a busy machine. */
  #runMs = 5_000;

  constructor(server: TestServer, content: Content, rng: Rng) {
    this.#db = server.db;
    this.#server = server;
    this.#content = content;
    this.#rng = rng;
  }

  /** Runs one round. @throws Error with the round, the events and the difference */
  async round(): Promise<undefined> {
    this.story.length = 0;
    this.counts.rounds += 1;
    try {
      await this.#change();
      this.#isSpoilt = true;
      const kind = this.counts.rounds === 1 ? 0 : this.#pick(3);
      if (kind === 0) await this.#resumeAfterTheOther();
      else await this.#disturbBoth();
      await requireCommitsInTime(this.#db);
      await this.#runUndisturbed(false);
      await this.#expectReference("after an undisturbed run");
      this.#isSpoilt = false;
    } catch (error) {
      throw this.#failure((error as Error).message);
    } finally {
      await this.#endRunners();
    }
  }

  /** Ends all runners of a round. */
  async #endRunners(): Promise<void> {
    for (const runner of this.#runners) runner.signal("SIGKILL");
    await Promise.all(this.#runners.map(({ outcome }) => outcome));
    this.#runners = [];
  }

  /** Chooses a clean start, a reset, more messages, or no change. */
  async #change(): Promise<void> {
    if (this.#isSpoilt || this.#content.isComplete || this.#chance(0.15)) {
      if (!this.#isSpoilt && this.#chance(0.6) && (await this.#goOnAfterDisturbedClear())) return;
      await this.#content.cleanStart();
      this.counts.cleanStarts += 1;
      this.story.push("clean start");
    } else if (this.#chance(0.7)) {
      const isReset = this.#chance(0.5);
      await this.#content.publishMore(isReset);
      this.counts.resets += Number(isReset);
      this.story.push(isReset ? "reset and more messages" : "more messages");
    }
  }

  /**
   * Empties the layers while a run fills them. @returns true if messages are left, which must load
   * normally
   */
  async #goOnAfterDisturbedClear(): Promise<boolean> {
    const runners = [
      this.#startSignalled("clear", CLEAR_STATEMENTS),
      this.#start({ kind: "incremental", lease: LEASE }),
    ];
    await this.#disturb(runners, this.#runMs / 2);
    for (const runner of runners) await this.#ended(runner, ["done", "lost", "gate", "empty"]);
    if (!(await this.#content.keepWhatIsLeft())) return false;
    await this.#runUndisturbed(false);
    await this.#expectReference("after a disturbed clear");
    this.counts.goneOn += 1;
    this.story.push("continued after a clear");
    return true;
  }

  /**
   * Stops a run before a statement, waits for another run that takes over, then resumes the first.
   */
  async #resumeAfterTheOther(): Promise<void> {
    const beforeStatement = 1 + this.#pick(STATEMENTS);
    const signal = { name: "SIGSTOP", beforeStatement } as const;
    const first = this.#start({ kind: this.#mode(), lease: LEASE, signal });
    const isStopped = await Promise.race([
      first.stopped.then(() => true),
      first.outcome.then(() => false),
    ]);
    if (!isStopped) return this.#ended(first, ["done"]);
    this.counts.stops += 1;
    await this.#runUndisturbed(this.#chance(0.5));
    await this.#expectReference("while the previous holder is stopped");
    const before = await everything(this.#db);
    first.signal("SIGCONT");
    await this.#ended(first, ["lost"]);
    if ((await everything(this.#db)) !== before)
      throw new Error("a run wrote rows after it lost the lease");
  }

  async #disturbBoth(): Promise<void> {
    const runners = [0, 1].map(() => this.#startSignalled(this.#mode(), STATEMENTS));
    await this.#disturb(runners, this.#runMs);
    for (const runner of runners) await this.#ended(runner, ["done", "lost", "gate", "killed"]);
  }

  /** Stops, resumes or kills each run at a random time. */
  async #disturb(runners: readonly Runner[], withinMs: number): Promise<void> {
    const disturb = async (runner: Runner, afterMs: number, pauseMs: number, isKill: boolean) => {
      const isOver = runner.outcome.then(() => true);
      if (await Promise.race([sleep(afterMs, false), isOver])) return;
      runner.signal(isKill ? "SIGKILL" : "SIGSTOP");
      if (isKill) return;
      this.counts.stops += 1;
      await sleep(pauseMs);
      runner.signal("SIGCONT");
    };
    await Promise.all(
      runners
        .filter(() => this.#chance(0.7))
        .map((runner) =>
          disturb(runner, uniform(this.#rng) * withinMs, this.#pause(), this.#chance(0.3)),
        ),
    );
  }

  async #continueWhenStopped(runner: Runner): Promise<void> {
    const pauseMs = this.#pause();
    await runner.stopped;
    this.counts.stops += 1;
    await sleep(pauseMs);
    runner.signal("SIGCONT");
  }

  #start(task: Task): Runner {
    const runner = new Runner(this.#server, task);
    this.#runners.push(runner);
    return runner;
  }

  /** Starts a run that signals itself before a random statement; resumes a stopped run later. */
  #startSignalled(kind: Task["kind"], statements: number): Runner {
    const name = this.#chance(0.5) ? "SIGSTOP" : "SIGKILL";
    const signal = { name, beforeStatement: 1 + this.#pick(statements) } as const;
    const isSignalled = this.#chance(0.6);
    const runner = this.#start({ kind, lease: LEASE, ...(isSignalled ? { signal } : {}) });
    void this.#continueWhenStopped(runner);
    return runner;
  }

  /** Runs the batch process in this process. @throws Error if it fails */
  async #runUndisturbed(fullRefresh: boolean): Promise<void> {
    const started = performance.now();
    await transform(this.#db, { fullRefresh, waitSeconds: 1, lease: LEASE }).catch((error) => {
      throw new Error(`an undisturbed run failed: ${error}`);
    });
    this.#runMs = performance.now() - started;
  }

  /** Waits for the end of a run. @throws Error for an outcome that is not in `allowed` */
  async #ended(runner: Runner, allowed: readonly Outcome["kind"][]): Promise<void> {
    const { kind, message } = await runner.outcome;
    this.story.push(message === "" ? kind : `${kind} (${message})`);
    const isKilledByUs = kind === "killed" && allowed.length > 1;
    if (!allowed.includes(kind) && !isKilledByUs)
      throw new Error(`a run ended: ${kind} ${message}`);
    this.counts.lost += Number(kind === "lost");
    this.counts.refusedByGate += Number(kind === "gate");
    this.counts.kills += Number(kind === "killed");
    if (kind === "lost") this.counts.takeOvers += 1;
    if (kind === "killed" && (await isHeldBy(this.#db, runner.pid))) this.counts.takeOvers += 1;
  }

  async #expectReference(when: string): Promise<void> {
    await waitForMutations(this.#db);
    const found = JSON.stringify(await digests(this.#db));
    const expected = await this.#content.reference();
    if (found !== expected) {
      throw new Error(`${when} the digests are\n${found}\ninstead of\n${expected}`);
    }
  }

  #failure(what: string): Error {
    return new Error(`round ${this.counts.rounds}: ${what}\nafter: ${this.story.join("; ")}`);
  }

  #mode(): "full" | "incremental" {
    return this.#chance(0.5) ? "full" : "incremental";
  }

  /** Random pause of 0.2 to 3 lease lifetimes, ms. */
  #pause(): number {
    return LIFETIME_MS * (0.2 + 2.8 * uniform(this.#rng));
  }

  #pick(count: number): number {
    return Math.floor(uniform(this.#rng) * count);
  }

  #chance(share: number): boolean {
    return uniform(this.#rng) < share;
  }
}
