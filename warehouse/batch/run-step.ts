import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable, UserError } from "../../contract/errors.ts";
import type { Database, Params } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { commandOn, databaseOf, hintToRun } from "../database/command.ts";
import { explainMissingSchema } from "../database/missing-schema.ts";
import { sideBySide, type Turns, takeTurns } from "../database/side-by-side.ts";
import { readQuery, readStatements } from "../sql.ts";
import { selectTyped, typingParams } from "../typing.ts";
import { hashDefinitions } from "./definitions.ts";
import { type Lease, withLease } from "./lease.ts";
import { type Plan, type PlanStatement, type PlanStep, publishedTables } from "./plan.ts";
import { insertInto, type Published, publishTable, turnFor } from "./publish.ts";
import { requireWholeRows } from "./require-whole-rows.ts";
import { sweepMessages } from "./sweep.ts";

export interface StepOptions {
  readonly fullRefresh: boolean;
  readonly waitSeconds: number;
  readonly onStatement?: (file: string) => void;
}

export interface StepResult {
  readonly id: string;
  readonly seconds: number;
  /** Why an optional step, or one after the end of a run, had nothing to do. */
  readonly skipped?: string;
  /** Why the steps after this one have nothing to do. */
  readonly endsRun?: string | undefined;
  readonly report: Readonly<Record<string, number>>;
  /** By table. */
  readonly published?: Readonly<Record<string, Published>>;
}

/** What the steps of one run share. */
export interface Run {
  readonly lease: Lease;
  /** Parameters of steps that publish tables. */
  readonly definitions: () => Promise<Params>;
  /** For work that needs much memory. */
  readonly turns: Turns;
  /** Queries whose assertion has passed; no other run can write under the lease. */
  readonly asserted: Set<string>;
}

interface Context {
  readonly db: Database;
  readonly plan: Plan;
  readonly options: StepOptions;
  params: Params;
  readonly turns: Turns;
  readonly published: Record<string, Published>;
}

/** Runs one step, in a run of several or its own. Repeating it after a failure or a kill gives the same result. */
export async function runStep(
  db: Database,
  plan: Plan,
  step: PlanStep,
  options: StepOptions,
  run?: Run,
): Promise<StepResult> {
  const started = performance.now();
  const given = { ...plan.params, full_refresh: options.fullRefresh };
  const turns = run?.turns ?? takeTurns();
  const context: Context = { db, plan, options, params: given, turns, published: {} };
  const secondsUntilNow = () => (performance.now() - started) / 1000;
  try {
    const { optional } = step;
    if (optional && (await count(context, optional.if)) === 0) {
      return { id: step.id, seconds: secondsUntilNow(), skipped: optional.else, report: {} };
    }
    if (step.wait) await waitForRows(context, step.wait);
    else if (step.statements.length > 0) {
      context.params = run
        ? await run.lease.begin(step.id).then(() => runStatements(context, step, run))
        : await withRun(context, step.id, (own) => runStatements(context, step, own));
    } else await assertOnce(context, step, run);
    const report = step.report ? await oneRow<Record<string, number>>(context, step.report) : {};
    const endsRun = run && (await reasonToEnd(context, step, report, run));
    return {
      id: step.id,
      seconds: secondsUntilNow(),
      report,
      published: context.published,
      endsRun,
    };
  } catch (error) {
    throw explainMissingSchema(error, step.id, db);
  }
}

/** Runs `work` under a lease. */
export const withRun = <T>(
  { db, plan }: Pick<Context, "db" | "plan">,
  name: string,
  work: (run: Run) => Promise<T>,
): Promise<T> =>
  withLease(db, name, (lease) => {
    let known: Promise<Params> | undefined;
    const definitions = () => (known ??= definitionsFor(lease.db, plan));
    return work({ lease, definitions, turns: takeTurns(), asserted: new Set() });
  });

async function definitionsFor(db: Database, plan: Plan): Promise<Params> {
  const tables = publishedTables(plan);
  const marts = tables.flatMap(({ publish }) => /^dm\.(\w+)$/.exec(publish)?.slice(1) ?? []);
  const definitions = await hashDefinitions(db, tables);
  const [known] = await db.rows(
    "SELECT 1 FROM dm_internal.load_commit WHERE definition = {definition:String} LIMIT 1",
    definitions,
  );
  if (!known) await requireWholeRows(db, tables);
  return { marts, ...definitions };
}

/** @returns the parameters of the step's report */
async function runStatements(context: Context, step: PlanStep, run: Run): Promise<Params> {
  const { db, id } = run.lease;
  const held: Context = { ...context, db, params: { ...context.params, lease_id: id } };
  await assertOnce(held, step, run);
  if (step.statements.some((statement) => "publish" in statement)) {
    held.params = { ...held.params, ...(await run.definitions()) };
  }
  await runEach(held, step.id, step.statements);
  return held.params;
}

async function reasonToEnd(
  context: Context,
  { ends_run }: PlanStep,
  report: StepResult["report"],
  run: Run,
): Promise<string | undefined> {
  const isIdle = !context.options.fullRefresh && Object.values(report).every((one) => one === 0);
  if (!ends_run || !isIdle) return undefined;
  const params = { ...context.params, ...(await run.definitions()) };
  return (await count({ ...context, params }, ends_run.if)) === 0 ? undefined : ends_run.because;
}

async function runEach(
  context: Context,
  stepId: string,
  statements: readonly PlanStatement[],
): Promise<void> {
  for (const statement of statements) await runStatement(context, stepId, statement);
}

async function runStatement(
  context: Context,
  stepId: string,
  statement: PlanStatement,
): Promise<void> {
  if ("let" in statement) {
    const row = await oneRow<Params>(context, statement.let);
    context.params = { ...context.params, ...row };
    return;
  }
  if ("publish" in statement) {
    const { db, options, params, turns } = context;
    const table = statement.publish;
    const run = (sql: string, params?: Params): Promise<void> => {
      options.onStatement?.(table);
      return db.run(sql, params, queryId(stepId));
    };
    context.published[table] = await publishTable(db, statement, params, { run, turns });
    return;
  }
  if ("type" in statement) return typePlanned(context, stepId);
  if ("if" in statement) {
    if (await holds(context, statement.if)) await runEach(context, stepId, statement.statements);
    return;
  }
  if ("sweep" in statement) {
    const { db, options } = context;
    await sweepMessages(db, statement.sweep, (sql) => {
      options.onStatement?.(`sweep ${statement.sweep}`);
      return db.run(sql, {}, queryId(stepId));
    });
    return;
  }
  for (const file of statement.run) await runFile(context, stepId, file);
}

/** Settings of an INSERT that feeds two views. */
const TYPING = "parallel_view_processing = 1, max_insert_threads = 2";

/** Types the streams side by side if they are small, because then each mostly waits. */
async function typePlanned({ db, options, params, turns }: Context, stepId: string): Promise<void> {
  type Planned = { stream: StreamName; ranges: string; messages: number };
  const planned = await db.rows<Planned>(readQuery("etl/load_ods/ranges.sql"), params);
  await sideBySide(
    planned.map(async ({ stream, ranges, messages }) => {
      const table = `ods.${stream}_parsed`;
      const all = { ...params, ...typingParams(stream), ranges };
      const inTurn = turnFor(messages, params, turns);
      await inTurn(async () => {
        const sql = insertInto(table, table, await selectTyped(db, stream, all), TYPING);
        options.onStatement?.(table);
        return db.run(sql, all, queryId(stepId));
      });
    }),
  );
}

async function runFile(
  { db, options, params }: Context,
  stepId: string,
  file: string,
): Promise<void> {
  for (const sql of readStatements(`etl/${file}`)) {
    options.onStatement?.(file);
    await db.run(sql, params, queryId(stepId));
  }
}

const queryId = (stepId: string): string => `eventpipeline-${stepId}-${crypto.randomUUID()}`;

/** Waits for rows in stg, also across a restart of the database if it was reachable before. */
async function waitForRows(context: Context, query: string): Promise<void> {
  const { waitSeconds } = context.options;
  const deadline = performance.now() + waitSeconds * 1000;
  for (let found = await count(context, query); found === 0; ) {
    if (performance.now() >= deadline) {
      throw new UserError(
        waitSeconds === 0
          ? `stg of ${context.db.label} is empty`
          : `No data in stg within ${waitSeconds} s (wait_stg_timeout_sec)`,
        hintToRun(context.db, "data") +
          (databaseOf(context.db) === null
            ? ", or start the generator with `make generator-up`"
            : ""),
      );
    }
    await sleep(Math.min(1000, Math.max(0, deadline - performance.now())));
    found = await count(context, query).catch((error: unknown) => {
      if (error instanceof DatabaseUnavailable && performance.now() < deadline) return 0;
      throw error;
    });
  }
}

async function assertOnce({ db }: Context, { id, assert }: PlanStep, run?: Run): Promise<void> {
  if (assert === undefined || run?.asserted.has(assert)) return;
  type Violation = { reason: string; hint: string };
  const [violation] = await db.rows<Violation>(textOf(assert));
  run?.asserted.add(assert);
  if (!violation) return;
  throw new UserError(
    `${id} stopped the run: ${violation.reason}. The step changed no table`,
    violation.hint.replace(/`make (\w+)`/, (_, command: string) => `\`${commandOn(db, command)}\``),
  );
}

async function oneRow<T>(context: Context, query: string): Promise<T> {
  const [row] = await context.db.rows<T>(textOf(query), context.params);
  if (row === undefined) throw new Error(`${query} returned no row`);
  return row;
}

const count = async (context: Context, query: string): Promise<number> =>
  (await oneRow<{ count: number }>(context, query)).count;

/** @param condition a query, or the name of a parameter */
const holds = async (context: Context, condition: string): Promise<boolean> =>
  condition in context.params
    ? Boolean(context.params[condition])
    : (await count(context, condition)) !== 0;

const textOf = (query: string): string =>
  query.endsWith(".sql") ? readQuery(`etl/${query}`) : query;
