import { LAYERS } from "../../../contract/layers.ts";
import type { Database } from "../../../contract/ports.ts";
import type { StreamName } from "../../../contract/streams.ts";
import { columnsOf, findDifferingViews } from "../../schema/differences.ts";
import { readQuery } from "../../sql.ts";
import { countOnlyCopies } from "../findings.ts";
import type { Progress } from "../progress.ts";
import { type Comparison, compare, type Expectation } from "./compare.ts";
import type { RowSet } from "./digest.ts";
import type { DeepLine, DeepResult, DeepUnchecked, DerivedLayer } from "./result.ts";
import {
  COUNTED_ROWS,
  clickPrelude,
  dmPrelude,
  type ExpiredConditions,
  eventPrelude,
  messages,
  ruleParams,
  type VerifiedLayers,
} from "./sources.ts";
import {
  type CheckedTable,
  CLICK,
  COMPLETE_PERIOD,
  DQ_SUMMARY,
  EVENT,
  EVENT_ENRICHED,
  messageTablesOf,
  nameOf,
  PAGE_VIEW,
  SESSION,
  VISITOR,
} from "./tables.ts";

const SPILL =
  "join_algorithm = 'grace_hash,hash', grace_hash_join_initial_buckets = 8, max_bytes_before_external_group_by = 500000000";

export class DeepCheck {
  readonly #db: Database;
  readonly #expired: ExpiredConditions;
  readonly #progress: Progress;
  readonly #slices: number;
  readonly #comparisons: Comparison[] = [];
  readonly #unchecked: DeepUnchecked[] = [];

  constructor(db: Database, expired: ExpiredConditions, progress: Progress, slices: number) {
    this.#db = db;
    this.#expired = expired;
    this.#progress = progress;
    this.#slices = slices;
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
    const proved = this.#proved();
    const events = eventPrelude(proved, this.#expired);
    await this.#table(EVENT, dds_load, is_dds_interrupted, {
      ...spilling(!proved.ods),
      prelude: events,
      slices: this.#slices,
    });
    await this.#table(CLICK, dds_load, is_dds_interrupted, {
      ...spilling(!proved.ods),
      prelude: clickPrelude(proved, this.#expired),
    });
  }

  async dm(): Promise<void> {
    const { event_enriched_load, is_event_enriched_interrupted } = this.#progress;
    await this.#mart(EVENT_ENRICHED, event_enriched_load, is_event_enriched_interrupted);
    const { session_load, is_session_interrupted } = this.#progress;
    for (const table of [SESSION, PAGE_VIEW]) {
      await this.#mart(table, session_load, is_session_interrupted);
    }
    const { visitor_load, is_visitor_interrupted } = this.#progress;
    const sessions = this.#sessionsOf(visitor_load);
    await this.#mart(VISITOR, visitor_load, is_visitor_interrupted, sessions);
  }

  /** Returns the sessions after a load as a named query: those of dm if they agree, else recomputed ones. */
  #sessionsOf(load: number): string {
    const lines = this.#comparisons
      .flatMap((comparison) => comparison.lines)
      .filter(({ layer, table }) => layer === "dm" && table === "session");
    const isProved =
      load === this.#progress.session_load &&
      lines.length > 0 &&
      lines.every(({ isEqual }) => isEqual);
    const sessions = isProved ? "SELECT * FROM dm.session" : readQuery("checks/deep/session.sql");
    return `,\nsession AS (${sessions})`;
  }

  async #mart(table: CheckedTable, load: number, isInterrupted: Flag, besides = ""): Promise<void> {
    const { ods, dds } = this.#proved();
    const isUpToDate = load === this.#progress.dds_load && !this.#progress.is_dds_interrupted;
    const proved = { ods, dds: dds && isUpToDate };
    await this.#table(table, load, isInterrupted, {
      ...spilling(!proved.dds),
      prelude: dmPrelude(proved, this.#expired) + besides,
    });
  }

  async #table(
    table: CheckedTable,
    load: number,
    isInterrupted: Flag,
    source: Omit<RowSet, "from" | "where" | "params">,
  ): Promise<void> {
    if (load === 0) {
      this.#leaveOut(table, "no finished load wrote it");
      return;
    }
    const query = `(${readQuery(`checks/deep/${table.table}.sql`)})`;
    const { params, ...rule } = rules(query);
    const expected = { ...rule, ...source, params: { ...params, to_load: load } };
    await this.#compare(expected, [{ table, where: "true", found: stored(table) }], isInterrupted);
  }

  async summary(): Promise<void> {
    const { dq_summary_load, is_summary_current } = this.#progress;
    if (dq_summary_load === 0 || !is_summary_current) {
      const reason = "load_dm_summary has not counted the last load";
      for (const table of [DQ_SUMMARY, COMPLETE_PERIOD]) this.#leaveOut(table, reason);
      return;
    }
    // Skips layers that differ or are being written, because their counts would make dm differ.
    const others = [...this.#differing(), ...this.#unchecked.map(({ layer }) => layer)];
    // The rows of stg change between two loads.
    await this.#counts(["stg", ...others]);
    if (!others.includes("dm")) await this.#completePeriod();
  }

  async #counts(others: readonly string[]): Promise<void> {
    const query = `(${readQuery("checks/deep/dq_summary.sql")})`;
    // `computed_at` must be equal in all rows, between the last commits.
    const found: RowSet = {
      ...stored(DQ_SUMMARY),
      from: `(
        SELECT layer, entity, metric, value,
            computed_at > (SELECT max(computed_at) FROM dm.dq_summary) - INTERVAL 100 MILLISECOND
                AND computed_at >=
                    (SELECT max(committed_at) FROM dm_internal.load_commit WHERE target IN ('event_enriched', 'session', 'visitor'))
                AND computed_at <=
                    (SELECT max(committed_at) FROM dm_internal.load_commit WHERE target = 'dq_summary') AS is_computed_at_once
        FROM dm.dq_summary)`,
    };
    const columns = [
      ...columnsOf(nameOf(DQ_SUMMARY)).filter(({ name }) => name !== "computed_at"),
      { name: "is_computed_at_once", type: "Bool" },
    ];
    const where = `NOT has([${others.map((layer) => `'${layer}'`)}]::Array(String), layer)`;
    const table = { table: DQ_SUMMARY, where, found: { ...found, where }, columns };
    await this.#compare(rules(query), [table], this.#progress.is_dq_summary_interrupted);
  }

  async #completePeriod(): Promise<void> {
    const query = `(${readQuery("checks/deep/complete_period.sql")})`;
    const table = { table: COMPLETE_PERIOD, where: "true", found: stored(COMPLETE_PERIOD) };
    await this.#compare(rules(query), [table], this.#progress.is_dq_summary_interrupted);
  }

  async result(): Promise<DeepResult> {
    const layers = this.#differing();
    return {
      lines: this.#comparisons.flatMap(({ lines }) => lines),
      rows: this.#comparisons.flatMap(({ rows }) => rows),
      unchecked: this.#unchecked,
      views: await findDifferingViews(this.#db),
      layers,
      onlyCopies: layers[0] === "ods" ? await countOnlyCopies(this.#db) : 0,
    };
  }

  #differing(): DerivedLayer[] {
    const lines = this.#comparisons.flatMap((comparison) => comparison.lines);
    return LAYERS.filter((layer) => layer !== "stg").filter((layer) =>
      lines.some((line) => line.layer === layer && !line.isEqual),
    );
  }

  #proved(): VerifiedLayers {
    const differing = this.#differing();
    return { ods: !differing.includes("ods"), dds: !differing.includes("dds") };
  }

  #leaveOut({ layer, table }: CheckedTable, reason: string): void {
    this.#unchecked.push({ layer, table, reason });
  }

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

const rules = (from: string): RowSet => ({
  from,
  where: "true",
  prelude: "",
  params: ruleParams(),
});

const spilling = (isFromStg: boolean): Pick<RowSet, "settings"> =>
  isFromStg ? { settings: SPILL } : {};

const stored = (table: CheckedTable): RowSet => ({
  from: nameOf(table),
  where: "true",
  prelude: "",
  params: {},
});
