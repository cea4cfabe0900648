import { LAYERS } from "../../contract/layers.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { publishedTables, readPlan } from "../batch/plan.ts";
import { OF_EXPIRED, settingsOf, slicesOf, sourcesOf } from "../batch/publish.ts";
import { readSelect, SCOPES } from "../batch/published-table.ts";
import { tablesReadBy } from "../batch/require-whole-rows.ts";
import { columnsOf } from "../declared.ts";
import { findDifferingViews } from "../schema/differences.ts";
import { messageTables, readQuery } from "../sql.ts";
import { selectTyped, typingParams } from "../typing.ts";
import { type Comparison, compareTable } from "./deep/compare-table.ts";
import type { DeepLine, DeepResult, DeepUnchecked, DerivedLayer } from "./deep/result.ts";
import { countOnlyCopies } from "./findings.ts";
import { type Progress, readProgress } from "./progress.ts";

export type { DeepResult } from "./deep/result.ts";

/** Key and model time of each table of dds and dm. */
const TABLES: Readonly<Record<string, { key: readonly string[]; time?: string }>> = {
  "dds.event": { key: ["event_id"], time: "event_timestamp" },
  "dds.click": { key: ["click_id"] },
  "dm.event_enriched": { key: ["event_id"], time: "event_timestamp" },
  "dm.session": { key: ["click_id"], time: "started_at" },
  "dm.page_view": { key: ["event_id"], time: "event_timestamp" },
  "dm.visitor": { key: ["user_custom_id"], time: "first_seen" },
  "dm.complete_period": { key: ["whole_hours_from"] },
  "dm.dq_summary": { key: ["layer", "entity", "metric"] },
};

const POSITION = ["epoch", "_partition", "_offset"];

export const CHECKED_TABLES: readonly { readonly name: string; readonly key: readonly string[] }[] =
  [
    ...STREAMS.flatMap((stream) => {
      const { typed, errors } = messageTables(stream);
      return [typed, errors].map((table) => ({ name: `ods.${table}`, key: POSITION }));
    }),
    ...Object.entries(TABLES).map(([name, { key }]) => ({ name, key })),
  ];

/**
 * Compares every value of every table with its SELECT over the layer below, typed messages with stg. A table is
 * left out if a table that it reads differs, because its own rows may be right.
 * @param rowsPerSlice rows of the largest source per query, default as in the batch process
 */
export async function proveDeep(
  db: Database,
  rowsPerSlice = Number(readPlan().params.rows_per_slice),
): Promise<DeepResult> {
  const check = new DeepCheck(db, await readProgress(db));
  await check.commits();
  for (const stream of STREAMS) await check.messages(stream);
  for (const table of publishedTables(readPlan())) await check.table(table, rowsPerSlice);
  return check.result();
}

type StepTable = ReturnType<typeof publishedTables>[number];

class DeepCheck {
  readonly #db: Database;
  readonly #progress: Progress;
  readonly #comparisons: Comparison[] = [];
  readonly #unchecked: DeepUnchecked[] = [];

  constructor(db: Database, progress: Progress) {
    this.#db = db;
    this.#progress = progress;
  }

  /** Checks the rules between the tables of loads. */
  async commits(): Promise<void> {
    type Rule = Pick<DeepLine, "layer" | "table" | "expected" | "found">;
    const broken = await this.#db.rows<Rule>(readQuery("checks/deep/commits.sql"));
    const lines = broken.map((rule) => ({ ...rule, stream: null, day: "", isEqual: false }));
    this.#comparisons.push({ lines, rows: [] });
  }

  async messages(stream: StreamName): Promise<void> {
    const { typed, errors } = messageTables(stream);
    const [committed] = await this.#db.rows<Params>(COMMITTED, { stream });
    const params = { ...readPlan().params, ...typingParams(stream), ...committed, lease_id: 0 };
    const typing = await selectTyped(this.#db, stream, params);
    const messages = `WITH typed_message AS (${typing}) ${readQuery("checks/deep/messages.sql")}`;
    const stored = readQuery("checks/deep/stored_messages.sql");
    for (const [table, where] of [
      [typed, "is_typed"],
      [errors, "notEmpty(markers)"],
    ] as const) {
      const comparison = await compareTable(this.#db, {
        ...{ layer: "ods", table, stream, key: POSITION },
        columns: columnsOf(`ods.${table}`),
        day: "ifNull(toString(toDate(one_row.emitted_at, 'UTC')), '')",
        slices: [{ expected: `SELECT * FROM (${messages}) WHERE ${where}`, stored }],
        params: { ...params, table, errors },
      });
      this.#comparisons.push(comparison);
    }
  }

  async table(published: StepTable, rowsPerSlice: number): Promise<void> {
    const [layer = "", table = ""] = published.publish.split(".");
    const { key, time } = TABLES[published.publish] ?? { key: [SCOPES[published.rows ?? "click"]] };
    const one = { layer: layer as DerivedLayer, table };
    const reason = await this.#reasonToLeaveOut(published);
    if (reason) {
      this.#unchecked.push({ ...one, reason });
      return;
    }
    const load = { from: 0, to: this.#progress.dds_load };
    const slices = slicesOf(published, await sourcesOf(this.#db, published), load, rowsPerSlice);
    const { ignored, only } = this.#exceptions(layer, table);
    const comparison = await compareTable(this.#db, {
      ...{ ...one, stream: null, key },
      columns: columnsOf(published.publish).filter(({ name }) => !ignored.includes(name)),
      day: time ? `toString(toDate(one_row.${time}, 'UTC'))` : "''",
      slices: slices.map((slice) => ({
        expected: `SELECT * FROM (${readSelect(published.publish)}) WHERE ${only}`,
        stored: `SELECT * FROM ${published.publish} WHERE ${only}`,
        settings: settingsOf(slice),
      })),
    });
    const isEqual = comparison.lines.every((line) => line.isEqual);
    const unfinished = isEqual ? undefined : this.#unfinished(published);
    if (unfinished) this.#unchecked.push({ ...one, reason: unfinished });
    else this.#comparisons.push(comparison);
  }

  /** What cannot be computed again: times of computation, rows of stg, and of sessions whose messages have left ods. */
  #exceptions(layer: string, table: string): { ignored: readonly string[]; only: string } {
    if (layer === "dds") return { ignored: [], only: `NOT (${OF_EXPIRED})` };
    if (table === "dq_summary") return { ignored: ["computed_at"], only: "layer != 'stg'" };
    const isSettled = table !== "complete_period" || this.#progress.is_period_settled;
    return { ignored: isSettled ? [] : ["last_complete_day"], only: "true" };
  }

  async #reasonToLeaveOut({ publish, step }: StepTable): Promise<string | undefined> {
    if (this.#stepOf(step).load === 0) return "no finished load wrote it";
    const tables = await tablesReadBy(this.#db, publish);
    const others = [...this.#differing(), ...this.#unchecked.map(nameOf)];
    const read = others.find((other) => tables.has(other));
    return read && `${read} differs or is not compared`;
  }

  /** Returns why the rows may be those of an earlier load. */
  #unfinished({ step }: StepTable): string | undefined {
    const { dds_load, is_dds_interrupted, is_summary_current } = this.#progress;
    const { load, is_interrupted } = this.#stepOf(step);
    if (is_dds_interrupted || is_interrupted || load < dds_load) {
      return "a load that writes it has not finished";
    }
    return step === "load_dm_summary" && !is_summary_current
      ? "load_dm_summary has not counted the last load"
      : undefined;
  }

  #stepOf(id: string): Pick<Progress["dm_steps"][number], "load" | "is_interrupted"> {
    const { dds_load, is_dds_interrupted, dm_steps } = this.#progress;
    const found = dm_steps.find(({ step }) => step === id);
    return found ?? { load: dds_load, is_interrupted: is_dds_interrupted };
  }

  #differing(): string[] {
    const lines = this.#comparisons.flatMap((comparison) => comparison.lines);
    return lines.filter(({ isEqual }) => !isEqual).map(nameOf);
  }

  async result(): Promise<DeepResult> {
    const differing = this.#differing();
    const layers = LAYERS.filter((layer) => layer !== "stg").filter((layer) =>
      differing.some((name) => name.startsWith(`${layer}.`)),
    );
    return {
      lines: this.#comparisons.flatMap(({ lines }) => lines),
      rows: this.#comparisons.flatMap(({ rows }) => rows),
      unchecked: this.#unchecked,
      views: await findDifferingViews(this.#db),
      layers,
      onlyCopies: layers[0] === "ods" ? await countOnlyCopies(this.#db) : 0,
    };
  }
}

/** Offsets of all committed loads of a stream, as a parameter of the SELECT that types them. */
const COMMITTED = `
  SELECT toString(groupArray((epoch, _partition, after, until))) AS ranges
  FROM (
    SELECT epoch, _partition, min(offset_from) AS after, max(offset_to) AS until
    FROM ods.load_range
    WHERE stream = {stream:String} AND load_id IN (SELECT load_id FROM ods.load_commit)
    GROUP BY epoch, _partition
  )`;

const nameOf = ({ layer, table }: { layer: string; table: string }): string => `${layer}.${table}`;
