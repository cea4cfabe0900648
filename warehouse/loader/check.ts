import { basename } from "node:path";
import { parseJson } from "../../contract/json.ts";
import { type MarkerName, markers } from "../../contract/markers.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import type { Dataset } from "../../generator/dataset/format.ts";
import { findStep, readPlan } from "../batch/plan.ts";
import { runStep } from "../batch/run-step.ts";
import { withTemporaryWorkspace } from "../database/open.ts";
import { ensureSchema } from "../schema/ddl.ts";
import { loadIntoStg } from "./stg.ts";

export interface LineCounts {
  readonly typed: number;
  /** Messages that are only in `ods.*_errors`, without a typed row. */
  readonly rejected: number;
  /** Typed messages that are also in `ods.*_errors`. */
  readonly marked: number;
}

interface FoundLine {
  readonly file: string;
  /** Line number, counted from 1. */
  readonly line: number;
  readonly verdict: "rejected" | "marked";
  readonly reason: string;
}

export interface LineReport {
  readonly streams: Readonly<Record<StreamName, LineCounts>>;
  /** First hundred lines per stream that the pipeline rejects or marks; rejected lines first. */
  readonly found: readonly FoundLine[];
}

/** Number of listed lines per stream. */
const MAX_LISTED = 100;

/** Judges each line as `load_ods` does: loads the dataset into a temporary workspace and types it. */
export function checkLines(
  dataset: Dataset,
  onProgress: (messages: number) => void = () => {},
): Promise<LineReport> {
  return withTemporaryWorkspace(async (db) => {
    await ensureSchema(db);
    await loadIntoStg(db, dataset, { limit: 0, reset: false, onProgress });
    const plan = readPlan();
    await runStep(db, plan, findStep(plan, "load_ods"), { fullRefresh: false, waitSeconds: 0 });
    return readReport(db, dataset);
  });
}

async function readReport(db: Database, { files }: Dataset): Promise<LineReport> {
  const counts: Partial<Record<StreamName, LineCounts>> = {};
  const found: FoundLine[] = [];
  for (const stream of STREAMS) {
    counts[stream] = await countsOf(db, stream);
    found.push(...(await linesOf(db, stream, basename(files[stream]))));
  }
  return { streams: counts as Record<StreamName, LineCounts>, found };
}

async function countsOf(db: Database, stream: StreamName): Promise<LineCounts> {
  const { table } = streams[stream];
  const [row] = await db.rows<LineCounts>(
    `SELECT (SELECT count() FROM ods.${table}) AS typed,
       countIf(NOT is_typed) AS rejected, countIf(is_typed) AS marked
     FROM ods.${table}_errors`,
  );
  if (!row) throw new Error(`ods.${table} returned no counts`);
  return row;
}

interface ErrorRow {
  readonly line: number;
  readonly is_typed: boolean;
  readonly markers: readonly MarkerName[];
  readonly raw: string;
}

/** Reads the found lines; with one partition, the offset is the line number minus 1. */
async function linesOf(db: Database, stream: StreamName, file: string): Promise<FoundLine[]> {
  const rows = await db.rows<ErrorRow>(
    `SELECT _offset + 1 AS line, is_typed, markers, raw FROM ods.${streams[stream].table}_errors
     ORDER BY is_typed, _offset LIMIT ${MAX_LISTED}`,
  );
  return rows.map(({ line, is_typed, markers: names, raw }) => ({
    file,
    line,
    verdict: is_typed ? "marked" : "rejected",
    reason: names.map((name) => `${name}: ${markers[name]}${badValue(name, raw)}`).join("; "),
  }));
}

/** Returns the value of the field that begins the marker's description, or the line's start. */
function badValue(name: MarkerName, raw: string): string {
  const field = /^[a-z_]+/.exec(markers[name])?.[0];
  if (field === undefined) return name === "malformed_json" ? `: ${shorten(raw)}` : "";
  // The engine accepts some texts that are not JSON.
  const value = (parseJson(raw, {}) as Readonly<Record<string, unknown>>)[field];
  return value === undefined ? " (absent)" : `: ${shorten(JSON.stringify(value))}`;
}

const shorten = (text: string): string =>
  text === "" ? "an empty line" : text.length > 80 ? `${text.slice(0, 80)}…` : text;
