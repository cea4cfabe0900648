import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { parseTable, type TextTable } from "../expected-rows/notation.ts";

const table = z.string().transform(parseTable);
const texts = z.array(z.string()).default([]);

const fileSchema = z.strictObject({
  file: z.string().default("in.csv"),
  /** Rows of a CSV or TSV file that has each column of `USUAL`. */
  given: table.optional(),
  /** The text of the file, in place of rows. */
  content: z.string().optional(),
  encoding: z.enum(["utf8", "latin1"]).default("utf8"),
  gzip: z.boolean().default(false),
  /** Columns of the SELECT, or all of a source; `written` for the SELECT that a command writes. */
  select: z
    .string()
    .default(
      "row, time, session AS session_id, visitor AS visitor_id, url AS page_url, referrer AS referer_url",
    ),
});

const expectSchema = z.strictObject({
  /** Counts; of each file, only what is named. */
  account: z
    .looseObject({ files: z.array(z.record(z.string(), z.unknown())).optional() })
    .default({}),
  /** One row per event in order of time. `session` numbers the sessions; `has_account` is of the visitor. */
  events: table.optional(),
  /** Messages of a stream, in any order. */
  device: table.optional(),
  geo: table.optional(),
  /** Rows that are rejected, with a part of the reason. */
  rejected: z
    .array(z.strictObject({ row: z.number(), detail: z.string(), content: z.string().optional() }))
    .optional(),
  /** Parts of warnings, of the SELECT that was written, and of the error. */
  warnings: texts,
  no_warnings: texts,
  site: z.record(z.string(), z.unknown()).optional(),
  written: texts,
  error: z.string().optional(),
  hint: z.string().optional(),
});

const caseSchema = fileSchema.extend({
  /** A file that is imported before, to which this one is appended. */
  after: fileSchema.optional(),
  expect: expectSchema,
});

export type GivenFile = z.infer<typeof fileSchema>;
export type Case = z.infer<typeof caseSchema>;

/** The cases of each file of this folder, by name. */
export function readCases(): readonly (readonly [subject: string, cases: Record<string, Case>])[] {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".yaml"));
  return files.sort().map((name) => {
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    const read = z.record(z.string(), caseSchema).safeParse(parse(text, { merge: true }));
    if (!read.success) throw new Error(`${name}: ${z.prettifyError(read.error)}`);
    return [name.replace(".yaml", ""), read.data] as const;
  });
}

const USUAL = ["time", "session", "visitor", "url", "referrer"] as const;

/** The bytes of a file. Row n is of minute n and session `sN` of visitor `vN`, unless it says otherwise. */
export function bytesOf({ file, given, content = "", encoding }: GivenFile): Buffer {
  const lineOf = file.endsWith(".tsv") ? tsvLine : csvLine;
  return Buffer.from(given ? linesOf(given).map(lineOf).join("") : content, encoding);
}

const tsvLine = (cells: readonly string[]): string => `${cells.join("\t")}\n`;
const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")}\n`;

function linesOf({ columns, rows }: TextTable): string[][] {
  const added = USUAL.filter((column) => !columns.includes(column));
  const usual = (n: number) => ({
    time: `2026-07-05T09:${String(n).padStart(2, "0")}:00Z`,
    session: `s${n}`,
    visitor: `v${n}`,
    url: "",
    referrer: "",
  });
  const lines = rows.map((row, n) => [
    ...row.map((cell) => (cell === '""' ? "" : cell)),
    ...added.map((column) => usual(n)[column]),
  ]);
  return [[...columns, ...added], ...lines];
}
