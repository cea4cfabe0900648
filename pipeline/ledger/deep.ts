import { LAYERS } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { readQuery } from "../sql.ts";
import { type Comparison, compare, type Expectation } from "./deep/compare.ts";
import { columnsOf, type RowSet } from "./deep/digest.ts";
import type { DeepLine, DeepResult, DeepUnchecked, DerivedLayer } from "./deep/result.ts";
import {
  COUNTED_ROWS,
  ddsPrelude,
  dmPrelude,
  type Expired,
  findExpired,
  messages,
  type Proved,
  ruleParams,
} from "./deep/sources.ts";
import {
  type CheckedTable,
  CLICK,
  DQ_SUMMARY,
  EVENT,
  EVENT_ENRICHED,
  messageTablesOf,
  nameOf,
  SESSION,
} from "./deep/tables.ts";

export type { DeepResult } from "./deep/result.ts";

/** How far each table is loaded: the highest load in it, and whether its step has begun another one. */
interface Progress {
  readonly dds_load: number;
  readonly event_enriched_load: number;
  readonly session_load: number;
  readonly dq_summary_load: number;
  readonly is_summary_current: boolean | number;
  readonly is_dds_interrupted: boolean | number;
  readonly is_event_enriched_interrupted: boolean | number;
  readonly is_session_interrupted: boolean | number;
  readonly is_dq_summary_interrupted: boolean | number;
}

/**
 * Recomputes ods, dds and dm from the messages of stg that committed loads took, by the rules alone, and
 * compares every column of every row with what the batch process wrote. A layer that proves equal is what
 * the next one is computed from; where one differs, the next is computed from stg again.
 */
export async function proveDeep(db: Database): Promise<DeepResult> {
  const check = new DeepCheck(db, await findExpired(db), await readProgress(db));
  await check.commits();
  for (const stream of STREAMS) await check.messages(stream);
  await check.dds();
  await check.dm();
  await check.summary();
  return check.result();
}

async function readProgress(db: Database): Promise<Progress> {
  const [progress] = await db.rows<Progress>(readQuery("checks/deep/progress.sql"));
  if (!progress) throw new Error("checks/deep/progress.sql gave no row");
  return progress;
}

class DeepCheck {
  readonly #db: Database;
  readonly #expired: Expired;
  readonly #progress: Progress;
  readonly #comparisons: Comparison[] = [];
  readonly #unchecked: DeepUnchecked[] = [];

  constructor(db: Database, expired: Expired, progress: Progress) {
    this.#db = db;
    this.#expired = expired;
    this.#progress = progress;
  }

  async commits(): Promise<void> {
    type Rule = Pick<DeepLine, "layer" | "table" | "expected" | "found">;
    const broken = await this.#db.rows<Rule>(readQuery("checks/deep/commits.sql"));
    const lines = broken.map((rule) => ({ ...rule, stream: null, day: "", isEqual: false }));
    this.#comparisons.push({ lines, rows: [] });
  }

  async messages(stream: StreamName): Promise<void> {
    const [typed, errors] = messageTablesOf(stream);
    const expired = this.#expired[stream];
    const found = (table: CheckedTable) => ({
      ...stored(table),
      where: `${COUNTED_ROWS} AND NOT ${expired}`,
    });
    await this.#compare(rules(messages(stream)), [
      { table: typed, where: "is_typed", found: found(typed) },
      { table: errors, where: "notEmpty(markers)", found: found(errors) },
    ]);
  }

  async dds(): Promise<void> {
    const { dds_load, is_dds_interrupted } = this.#progress;
    const prelude = ddsPrelude(this.#proved(), this.#expired);
    for (const table of [EVENT, CLICK]) {
      await this.#table(table, dds_load, is_dds_interrupted, prelude);
    }
  }

  async dm(): Promise<void> {
    const { event_enriched_load, is_event_enriched_interrupted } = this.#progress;
    await this.#mart(EVENT_ENRICHED, event_enriched_load, is_event_enriched_interrupted);
    const { session_load, is_session_interrupted } = this.#progress;
    await this.#mart(SESSION, session_load, is_session_interrupted);
  }

  async #mart(table: CheckedTable, load: number, isInterrupted: Flag): Promise<void> {
    const { ods, dds } = this.#proved();
    const isUpToDate = load === this.#progress.dds_load && !this.#progress.is_dds_interrupted;
    await this.#table(
      table,
      load,
      isInterrupted,
      dmPrelude({ ods, dds: dds && isUpToDate }, this.#expired),
    );
  }

  async #table(
    table: CheckedTable,
    load: number,
    isInterrupted: Flag,
    prelude: string,
  ): Promise<void> {
    if (load === 0) {
      this.#leaveOut(table, "no finished load answers for it");
      return;
    }
    const query = `(${readQuery(`checks/deep/${table.table}.sql`)})`;
    const expected = rules(query, prelude, { to_load: load });
    await this.#compare(expected, [{ table, where: "true", found: stored(table) }], isInterrupted);
  }

  /** Counts the tables as they are: what is wrong in them is found by the others. */
  async summary(): Promise<void> {
    const { dq_summary_load, is_summary_current, is_dq_summary_interrupted } = this.#progress;
    if (dq_summary_load === 0 || !is_summary_current) {
      this.#leaveOut(DQ_SUMMARY, "load_dm_summary has not counted the last load");
      return;
    }
    const query = `(${readQuery("checks/deep/dq_summary.sql")})`;
    // computed_at says when, and it is one moment for all rows.
    const found: RowSet = {
      ...stored(DQ_SUMMARY),
      from: `(
        SELECT layer, entity, metric, value,
            computed_at > (SELECT max(computed_at) FROM dm.dq_summary) - INTERVAL 1 MINUTE
                AND computed_at <= now64(6) AS is_computed_at_once
        FROM dm.dq_summary)`,
    };
    const columns = [
      ...columnsOf(nameOf(DQ_SUMMARY)).filter(({ name }) => name !== "computed_at"),
      { name: "is_computed_at_once", type: "Bool" },
    ];
    // What it counts of a layer that differs would blame dm for it.
    const where = `NOT has([${this.#differing().map((layer) => `'${layer}'`)}]::Array(String), layer)`;
    const table = { table: DQ_SUMMARY, where, found: { ...found, where }, columns };
    await this.#compare(rules(query), [table], is_dq_summary_interrupted);
  }

  result(): DeepResult {
    return {
      lines: this.#comparisons.flatMap(({ lines }) => lines),
      rows: this.#comparisons.flatMap(({ rows }) => rows),
      unchecked: this.#unchecked,
      layers: this.#differing(),
    };
  }

  #differing(): DerivedLayer[] {
    const lines = this.#comparisons.flatMap((comparison) => comparison.lines);
    return LAYERS.filter((layer) => layer !== "stg").filter((layer) =>
      lines.some((line) => line.layer === layer && !line.isEqual),
    );
  }

  /** A layer that differs is no source for the next one. */
  #proved(): Proved {
    const differing = this.#differing();
    return { ods: !differing.includes("ods"), dds: !differing.includes("dds") };
  }

  #leaveOut({ layer, table }: CheckedTable, reason: string): void {
    this.#unchecked.push({ layer, table, reason });
  }

  /** A table that its step is writing, or was writing when it was interrupted, is not expected to agree. */
  async #compare(
    expected: RowSet,
    tables: readonly [Expectation, ...Expectation[]],
    isInterrupted: Flag = false,
  ): Promise<void> {
    const comparison = await compare(this.#db, expected, tables);
    if (!isInterrupted || comparison.lines.every(({ isEqual }) => isEqual)) {
      this.#comparisons.push(comparison);
      return;
    }
    for (const { table } of tables) this.#leaveOut(table, "a load that writes it has not finished");
  }
}

type Flag = boolean | number;

/** The rows that the rules give, with their parameters. */
const rules = (from: string, prelude = "", params: RowSet["params"] = {}): RowSet => ({
  from,
  where: "true",
  prelude,
  params: { ...ruleParams(), ...params },
});

const stored = (table: CheckedTable): RowSet => ({
  from: nameOf(table),
  where: "true",
  prelude: "",
  params: {},
});
