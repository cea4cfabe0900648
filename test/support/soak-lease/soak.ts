import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Rng, seededRng, uniform } from "../../../generator/model/random.ts";
import { transform } from "../../../pipeline/batch/transform.ts";
import { ServerDatabase } from "../../../pipeline/database/http.ts";
import { digests } from "../../../pipeline/ledger/digests.ts";
import { requireCommitsInTime, untilMutated } from "./commits.ts";
import { Content } from "./content.ts";
import { type Outcome, Runner, type Task } from "./runner.ts";

export interface SoakOptions {
  readonly seed: string;
  readonly rounds: number;
  readonly log?: (line: string) => void;
}

/** How often what happened; takeOvers: leases that were taken from a stopped or killed holder. */
interface SoakCounts {
  rounds: number;
  stops: number;
  kills: number;
  takeOvers: number;
  lost: number;
  refusedByGate: number;
  cleanStarts: number;
  resets: number;
}

export interface SoakResult extends SoakCounts {
  /** What a round found that should not be, in the order of the rounds. */
  readonly differences: readonly string[];
}

const LIFETIME_MS = 1_500;
const LEASE = { lifetimeMs: LIFETIME_MS, waitMs: 300_000 };
/** About the statements of a full refresh: a number beyond the end of a run disturbs nothing. */
const STATEMENTS = 40;

/**
 * Two processes at a time write the layers of one server and are stopped, continued and killed at random
 * moments, with clean starts and resets in between. After each round no commit may be of a lease that had
 * been taken over, and an undisturbed incremental run must give the digests of a run from scratch.
 */
export async function soakLease({ seed, rounds, log }: SoakOptions): Promise<SoakResult> {
  const directory = mkdtempSync(join(tmpdir(), "soak-lease-"));
  const { server, url } = await startServer(join(directory, "data"));
  const db = new ServerDatabase({ url, user: "default", password: "" });
  try {
    const soak = new Soak(db, url, await Content.open(db, seed), seededRng(seed, "soak-lease"));
    const differences: string[] = [];
    for (let round = 1; round <= rounds; round++) {
      const difference = await soak.round().catch((error: Error) => error.message);
      if (difference) differences.push(difference);
      log?.(
        `round ${round}: ${difference ?? soak.story.join("; ")} ${JSON.stringify(soak.counts)}`,
      );
    }
    return { ...soak.counts, differences };
  } finally {
    await db.close();
    server.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startServer(directory: string): Promise<{ server: ChildProcess; url: string }> {
  const path = join(import.meta.dirname, "server-process.ts");
  const server = spawn(process.execPath, [path, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!server.stdout) throw new Error("a server without output");
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  return { server, url: String(line).trim() };
}

class Soak {
  readonly counts: SoakCounts = {
    rounds: 0,
    stops: 0,
    kills: 0,
    takeOvers: 0,
    lost: 0,
    refusedByGate: 0,
    cleanStarts: 0,
    resets: 0,
  };
  readonly #db: ServerDatabase;
  readonly #url: string;
  readonly #content: Content;
  readonly #rng: Rng;
  readonly story: string[] = [];
  #runners: Runner[] = [];
  /** The layers cannot be trusted: the next round begins with a clean start. */
  #isSpoilt = true;
  /** Time of the latest undisturbed run: on a busy machine it is long. */
  #runMs = 5_000;

  constructor(db: ServerDatabase, url: string, content: Content, rng: Rng) {
    this.#db = db;
    this.#url = url;
    this.#content = content;
    this.#rng = rng;
  }

  /** @throws Error with the round, what happened and what was different */
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

  /** None goes on into the next round, not even after a failure. */
  async #endRunners(): Promise<void> {
    for (const runner of this.#runners) runner.signal("SIGKILL");
    await Promise.all(this.#runners.map(({ outcome }) => outcome));
    this.#runners = [];
  }

  /** A clean start, a reset, more messages, or nothing new. */
  async #change(): Promise<void> {
    if (this.#isSpoilt || this.#content.isComplete || this.#chance(0.15)) {
      if (!this.#isSpoilt && this.#chance(0.6)) await this.#disturbedClear();
      await this.#content.cleanStart();
      this.counts.cleanStarts += 1;
      this.story.push("clean start");
    } else if (this.#chance(0.7)) {
      const isReset = this.#chance(0.5);
      await this.#content.goOn(isReset);
      this.counts.resets += Number(isReset);
      this.story.push(isReset ? "reset and more messages" : "more messages");
    }
  }

  /** A process that empties the layers beside one that fills them. */
  async #disturbedClear(): Promise<void> {
    const runners = [
      this.#start({ kind: "clear", lease: LEASE }),
      this.#start({ kind: "incremental", lease: LEASE }),
    ];
    await this.#disturb(runners, this.#runMs / 2);
    for (const runner of runners) await this.#ended(runner, ["done", "lost", "gate", "empty"]);
  }

  /** One stops before a statement, another one takes over and ends, and only then the first goes on. */
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
    const before = await this.#everything();
    first.signal("SIGCONT");
    await this.#ended(first, ["lost"]);
    if ((await this.#everything()) !== before) throw new Error("a lost run wrote something");
  }

  async #disturbBoth(): Promise<void> {
    const runners = [0, 1].map(() => {
      const name = this.#chance(0.5) ? "SIGSTOP" : "SIGKILL";
      const signal = { name, beforeStatement: 1 + this.#pick(STATEMENTS) } as const;
      const isSignalled = this.#chance(0.6);
      return this.#start({ kind: this.#mode(), lease: LEASE, ...(isSignalled ? { signal } : {}) });
    });
    for (const runner of runners) void this.#continueWhenStopped(runner);
    await this.#disturb(runners, this.#runMs);
    for (const runner of runners) await this.#ended(runner, ["done", "lost", "gate", "killed"]);
  }

  /** Stops, continues or kills each at a random time. */
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
    const runner = new Runner(this.#url, task);
    this.#runners.push(runner);
    return runner;
  }

  /** In this process: it must succeed. */
  async #runUndisturbed(fullRefresh: boolean): Promise<void> {
    const started = performance.now();
    await transform(this.#db, { fullRefresh, waitSeconds: 1, lease: LEASE }).catch((error) => {
      throw new Error(`an undisturbed run ended: ${error}`);
    });
    this.#runMs = performance.now() - started;
  }

  /** Waits for the end of a run; it must be one of these kinds. */
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
    if (kind === "killed" && (await this.#held(runner.pid))) this.counts.takeOvers += 1;
  }

  /** Whether a process that is gone still holds a lease, which the next run takes over. */
  async #held(pid: number): Promise<boolean> {
    const held = await this.#db.rows(
      `SELECT id FROM stg.lease
       WHERE endsWith(owner, concat('process ', {pid:String})) AND id IN (
         SELECT toUInt64OrZero(extract(name, '^eventpipeline_lease_(\\\\d+)_')) FROM system.databases)`,
      { pid: String(pid) },
    );
    return held.length > 0;
  }

  async #expectReference(when: string): Promise<void> {
    await untilMutated(this.#db);
    const found = JSON.stringify(await digests(this.#db));
    const expected = await this.#content.reference();
    if (found !== expected) {
      throw new Error(`${when} the digests are\n${found}\ninstead of\n${expected}`);
    }
  }

  /** A text that changes with every row of the layers. */
  async #everything(): Promise<string> {
    await untilMutated(this.#db);
    const tables = await this.#db.rows<{ name: string }>(
      `SELECT concat(database, '.', name) AS name FROM system.tables
       WHERE database IN ('stg', 'ods', 'dds', 'dm') AND engine LIKE '%MergeTree'
         AND (database, name) != ('stg', 'lease') ORDER BY name`,
    );
    const sums = await this.#db.rows(
      tables
        .map(
          ({ name }) =>
            `SELECT '${name}' AS name, count() AS count, sum(sipHash64(tuple(*))) AS sum FROM ${name}`,
        )
        .join(" UNION ALL "),
    );
    return JSON.stringify(sums.map((sum) => JSON.stringify(sum)).toSorted());
  }

  #failure(what: string): Error {
    return new Error(`round ${this.counts.rounds}: ${what}\nafter: ${this.story.join("; ")}`);
  }

  #mode(): "full" | "incremental" {
    return this.#chance(0.5) ? "full" : "incremental";
  }

  /** From well below a lifetime to well above it. */
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
