import type { Session } from "chdb";

export interface OutputFormat {
  readonly name: string;
  readonly contentType: string;
  /** Number of header lines in each block; undefined if blocks cannot be concatenated. */
  readonly headerLines: number | undefined;
}

/** Formats whose blocks can be concatenated, except for header lines. */
const HEADER_LINES: Readonly<Record<string, number>> = {
  CSV: 0,
  CSVWithNames: 1,
  CSVWithNamesAndTypes: 2,
  JSONCompactEachRow: 0,
  JSONCompactEachRowWithNames: 1,
  JSONCompactEachRowWithNamesAndTypes: 2,
  JSONCompactStringsEachRow: 0,
  JSONEachRow: 0,
  JSONLines: 0,
  JSONStringsEachRow: 0,
  LineAsString: 0,
  MsgPack: 0,
  Native: 0,
  NDJSON: 0,
  RowBinary: 0,
  TabSeparated: 0,
  TabSeparatedRaw: 0,
  TabSeparatedWithNames: 1,
  TabSeparatedWithNamesAndTypes: 2,
  TSKV: 0,
  TSV: 0,
  TSVRaw: 0,
  TSVWithNames: 1,
  TSVWithNamesAndTypes: 2,
};

/** Clauses and settings that add text to the rows, so that blocks cannot be concatenated. */
export const BREAKS_STREAMING = /\b(totals|extremes|output_format_json_array_of_rows)\b/i;

/** Output formats by lower-case name, with the engine's aliases. */
export type Formats = ReadonlyMap<string, OutputFormat>;

export async function readFormats(session: Session): Promise<Formats> {
  const result = await session.queryAsync(
    "SELECT name, content_type FROM system.formats WHERE is_output",
    { format: "JSONCompactEachRow" },
  );
  const rows = result.text().trim().split("\n");
  return new Map(
    rows.map((row) => {
      const [name = "", contentType = ""] = JSON.parse(row) as string[];
      return [name.toLowerCase(), { name, contentType, headerLines: HEADER_LINES[name] }];
    }),
  );
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Returns the length of header lines, bytes. In CSV, quotes may contain line breaks. */
export function headerLength(block: Uint8Array, lines: number, csv: boolean): number {
  let at = 0;
  let quoted = false;
  for (let seen = 0; seen < lines && at < block.length; at += 1) {
    if (csv && block[at] === QUOTE) quoted = !quoted;
    else if (block[at] === NEWLINE && !quoted) seen += 1;
  }
  return at;
}
