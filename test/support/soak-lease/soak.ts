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
import { Content } from "./content.ts";
import { type Outcome, Runner, type Task } from "./runner.ts";

export interface SoakOptions {
  readonly seed: string;
  readonly rounds: number;
  readonly log?: (line: string) => void;
}

/** How often what happened; takeOvers: leases that were taken from a stopped or killed holder. */
export interface SoakCounts {
  rounds: number;
  stops: number;
  kills: number;
  takeOvers: number;
  lost: number;
  refusedByGate: number;
  cleanStarts: number;
  resets: number;
}

const LIFETIME_MS = 1_500;
const LEASE = { lifetimeMs: LIFETIME_MS, waitMs: 300_000 };
/** About the statements of a full refresh: a number beyond the end of a run disturbs nothing. */
const STATEMENTS = 40;

/**
 * Two processes at a time write the layers of one server and are stopped, continued and killed at random
 * moments, with clean starts and resets in between. After each round an undisturbed incremental run must
 * give the digests of a run from scratch.
 * @throws Error with the round and what was different
 */
export async function soakLease({ seed, rounds, log }: SoakOptions): Promise<SoakCounts> {
  const directory = mkdtempSync(join(tmpdir(), "soak-lease-"));
  const { server, url } = await startServer(join(directory, "data"));
  const db = new ServerDatabase({ url, user: "default", password: "" });
  try {
    const soak = new Soak(db, url, await Content.open(db, seed), seededRng(seed, "soak-lease"));
    for (let round = 1; round <= rounds; round++) {
      const story = await soak.round();
      log?.(`round ${round}: ${story.join("; ")} ${JSON.stringify(soak.counts)}`);
    }
    return soak.counts;
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
  #story: string[] = [];
  /** Time of the latest undisturbed run: on a busy machine it is long. */
  #runMs = 5_000;

  constructor(db: ServerDatabase, url: string, content: Content, rng: Rng) {
    this.#db = db;
    this.#url = url;
    this.#content = content;
    this.#rng = rng;
  }

  /** Returns what happened, in order. */
  async round(): Promise<readonly string[]> {
    this.#story = [];
    await this.#change();
    const kind = this.counts.rounds === 0 ? 0 : this.#pick(3);
    if (kind === 0) await this.#resumeAfterTheOther();
    else await this.#disturbBoth();
    await this.#runUndisturbed(false);
    await this.#expectReference("after an undisturbed run");
    this.counts.rounds += 1;
    return this.#story;
  }

  /** A clean start, a reset, more messages, or nothing new. */
  async #change(): Promise<void> {
    const isFirst = this.counts.rounds === 0;
    if (isFirst || this.#content.isComplete || this.#chance(0.15)) {
      if (!isFirst && this.#chance(0.6)) await this.#disturbedClear();
      await this.#content.cleanStart();
      this.counts.cleanStarts += 1;
      this.#story.push("clean start");
    } else if (this.#chance(0.7)) {
      const isReset = this.#chance(0.5);
      await this.#content.goOn(isReset);
      this.counts.resets += Number(isReset);
      this.#story.push(isReset ? "reset and more messages" : "more messages");
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
    if ((await this.#everything()) !== before) throw this.#failure("a lost run wrote something");
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
    return new Runner(this.#url, task);
  }

  /** In this process: it must succeed. */
  async #runUndisturbed(fullRefresh: boolean): Promise<void> {
    const started = performance.now();
    await transform(this.#db, { fullRefresh, waitSeconds: 1, lease: LEASE }).catch((error) => {
      throw this.#failure(`an undisturbed run ended: ${error}`);
    });
    this.#runMs = performance.now() - started;
  }

  /** Waits for the end of a run; it must be one of these kinds. */
  async #ended(runner: Runner, allowed: readonly Outcome["kind"][]): Promise<void> {
    const { kind, message } = await runner.outcome;
    this.#story.push(message === "" ? kind : `${kind} (${message})`);
    const isKilledByUs = kind === "killed" && allowed.length > 1;
    if (!allowed.includes(kind) && !isKilledByUs) throw this.#failure(`a run ended: ${message}`);
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
    const found = JSON.stringify(await digests(this.#db));
    const expected = await this.#content.reference();
    if (found !== expected) {
      throw this.#failure(`${when} the digests are\n${found}\ninstead of\n${expected}`);
    }
  }

  /** A text that changes with every row of the layers. */
  async #everything(): Promise<string> {
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
    const { rounds } = this.counts;
    return new Error(`round ${rounds + 1}: ${what}\nafter: ${this.#story.join("; ")}`);
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
