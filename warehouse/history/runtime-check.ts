import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { HOUR } from "../../contract/time.ts";
import { STATE_TOPIC } from "../../contract/topics.ts";
import type { ModelConfig } from "../../generator/behaviour/config.ts";
import { runGenerator } from "../../generator/client/process.ts";
import { parseConfig } from "../../generator/config.ts";
import { dailyCoefficient } from "../../generator/model/budget.ts";
import { tickMicros } from "../../generator/model/config.ts";
import { readInstance } from "../../generator/operations/instance.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { parseFrame } from "../../generator/operations/record.ts";
import { readIntactEpoch } from "../../kafka/epoch.ts";
import { readLatest } from "../../kafka/read.ts";
import { transform } from "../batch/transform.ts";
import { resetTopics } from "../epochs/topics.ts";
import { queueState } from "../ingest/consumption.ts";
import { waitForStorage } from "../loader/wait-for-storage.ts";
import { requireSameEpoch, syncSources } from "../sources/broker.ts";
import { readSources } from "../sources/stored.ts";
import { type Analytics, intervalOf, readAnalytics } from "./analytics.ts";
import { checkHistory } from "./check.ts";
import { type CheckResult, verdict } from "./checks/result.ts";
import { constantModel } from "./model.ts";

const INSTANCE = "runtime-check";

/**
 * Settings of a history that ends at 08:50, so that live events include the rate change at 09:00.
 */
const SETTINGS = {
  GEN_PROFILE: "daily-wave",
  GEN_SEED: "runtime-check",
  GEN_MODEL_T0: "2026-01-01T00:00:00Z",
  GEN_MODEL_T_END: "2026-01-02T08:50:00Z",
  // Above the maximum of a tick of one model minute: 36 page events with jitter.
  GEN_MAX_EVENTS_PER_TICK: "1000",
} as const;

export interface RuntimeCheckOptions {
  readonly admin: Admin;
  readonly database: Database;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly liveSeconds: number;
  readonly onStep: (what: string) => void;
  readonly onResult: (result: CheckResult) => void;
}

/** Runs the check on an empty environment and empties it afterwards. @throws UserError */
export async function runtimeCheck(options: RuntimeCheckOptions): Promise<CheckResult[]> {
  const { admin, database, onStep, liveSeconds } = options;
  await requireClean(admin, database);
  const before = (await readIntactEpoch(admin))?.epoch;
  const env = { ...withoutModel(options.env), ...SETTINGS, GENERATOR_INSTANCE: INSTANCE };
  try {
    onStep(`backfill to ${SETTINGS.GEN_MODEL_T_END}`);
    await runGenerator({ ...env, GEN_RUN_MODE: "backfill" });
    onStep(`live for ${liveSeconds} s`);
    const start = performance.now();
    await runGenerator({ ...env, GEN_RUN_MODE: "live" }, liveSeconds);
    const seconds = (performance.now() - start) / 1000;
    onStep("storing and transforming");
    const epoch = await syncSources(database, admin);
    await requireSameEpoch(database, admin);
    if (epoch === null) throw new UserError("The database has no schema", "run `make ddl`");
    await waitForStorage(database, admin, epoch, () => undefined);
    await transform(database, { fullRefresh: true, waitSeconds: 60 });
    return await examine(options, epoch, seconds);
  } finally {
    // A concurrent load has its own epoch, whose data must stay.
    if ((await readIntactEpoch(admin))?.epoch === before) await removeAll(admin, database);
    else onStep("the topics were re-created in the meantime: nothing is deleted");
  }
}

async function removeAll(admin: Admin, database: Database): Promise<void> {
  // The reset refuses if another generator has started to publish.
  const isLive = async () => (await liveInstances(admin)).some((instance) => instance !== INSTANCE);
  const reason = "runtime check";
  await resetTopics(admin, { database, scope: "all", reason, isLive, clearsLayers: true });
}

const withoutModel = (env: RuntimeCheckOptions["env"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith("GEN_"),
    ),
  );

async function examine(
  { admin, database, onResult }: RuntimeCheckOptions,
  epoch: number,
  seconds: number,
): Promise<CheckResult[]> {
  const { GEN_MODEL_T_END: _, ...env } = SETTINGS;
  const results = await checkHistory(database, { liveHandover: true, env, onResult });
  const more = [await wave(database, epoch), await continuation(admin, seconds)];
  for (const result of more) onResult(result);
  return [...results, ...more];
}

async function wave(db: Database, epoch: number): Promise<CheckResult> {
  const config = parseConfig(SETTINGS);
  const [source, ...more] = await readSources(db, epoch);
  const only = more.length === 0 ? source : undefined;
  const interval = await intervalOf(db, only?.manifest);
  const analytics = await readAnalytics(db, constantModel(config), interval);
  const levels = waveByCoefficient(analytics, config);
  const isFollowed = levels.length === 3 && levels.every(({ isWithin }) => isWithin);
  const detail = levels
    .map(({ coefficient, observed, expected }) => `${coefficient}: ${observed} of ${expected}`)
    .join(", ");
  return verdict("daily wave", isFollowed, `page events by coefficient ${detail}`);
}

async function continuation(admin: Admin, seconds: number): Promise<CheckResult> {
  const config = parseConfig(SETTINGS);
  const { phase, batches, generator } = parseFrame(
    String((await readLatest(admin, STATE_TOPIC, INSTANCE))?.value),
  );
  const modelTime = (generator as { model_time_us: number }).model_time_us;
  const tEnd = config.tEnd ?? 0;
  const hours = Math.ceil((tEnd - config.t0) / 3_600_000_000);
  const ticks = (modelTime - tEnd) / tickMicros(config);
  const isWhole = phase === "live" && ticks === batches - hours;
  // The measured time includes starting and stopping the process.
  const isPaced = ticks <= seconds + 1 && ticks >= seconds * 0.7 - 5;
  const detail = `${ticks} ticks of ${batches - hours} batches after T_end in ${seconds.toFixed(1)} s`;
  return verdict("live continues from T_end", isWhole && isPaced, detail);
}

interface WaveLevel {
  readonly coefficient: number;
  readonly observed: number;
  readonly expected: number;
  readonly isWithin: boolean;
}

/** Variance-to-mean ratio of page-event counts: the sum of squared session sizes over their sum. */
const CLUMPING = 11;
const SIGMAS = 5;

function waveByCoefficient({ wave, interval }: Analytics, config: ModelConfig): WaveLevel[] {
  const coefficientAt = dailyCoefficient(config.timezone);
  const sums = new Map<number, { observed: number; expected: number }>();
  for (const { start, observed, expected } of wave) {
    if (start < interval.from || start + HOUR > interval.to) continue;
    const coefficient = coefficientAt(start);
    const sum = sums.get(coefficient) ?? { observed: 0, expected: 0 };
    sum.observed += observed;
    sum.expected += expected;
    sums.set(coefficient, sum);
  }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([coefficient, { observed, expected }]) => ({
      coefficient,
      observed,
      expected: Math.round(expected),
      isWithin: Math.abs(observed - expected) <= SIGMAS * Math.sqrt(CLUMPING * expected),
    }));
}

/** Requires empty topics, stg and ods; marts are derived. @throws UserError naming the data */
async function requireClean(admin: Admin, db: Database): Promise<void> {
  if ((await queueState(db)) !== "attached") {
    throw new UserError(
      "The database does not read from Kafka",
      "run `make ddl`, then `make topics`",
    );
  }
  const live = await liveInstances(admin);
  if (live.length > 0) {
    throw new UserError(
      `The environment is not empty: generator instance ${live.join(", ")} is publishing`,
      ELSEWHERE,
    );
  }
  const found = [...(await filledTables(db)), ...(await sourcesIn(admin))];
  if (found.length === 0) return;
  throw new UserError(
    `The environment is not empty: ${found.join(", ")}. This check deletes all data`,
    ELSEWHERE,
  );
}

// Without a history, which live mode would write.
const ELSEWHERE =
  "run it on an empty stack: `make up STACK=check OFFSET=1000 UP=bare` (with the CONFIG= of this one), then `make generated-history-runtime-check STACK=check`";

async function filledTables(db: Database): Promise<string[]> {
  const tables = await db.rows<{ object: string; rows: number }>(
    `SELECT concat(database, '.', name) AS object, assumeNotNull(total_rows) AS rows FROM system.tables
     WHERE engine LIKE '%MergeTree' AND total_rows > 0
       AND (database = 'stg' AND name = 'raw' OR database = 'ods' AND name NOT LIKE 'load\\_%')
     ORDER BY object`,
  );
  return tables.map(({ object, rows }) => `${object} holds ${rows} rows`);
}

async function sourcesIn(admin: Admin): Promise<string[]> {
  const instance = await readInstance(admin, { instance: "", ignoreState: true });
  return [
    ...instance.others.map((other) => `the topics hold data of ${other}`),
    ...instance.strays.map((topic) => `${topic} holds messages of unknown origin`),
  ];
}
