import { type ImportAccount, rowsOf, unexplainedRows } from "../../contract/import-account.ts";
import { formatNumber } from "../../terminal/format.ts";
import type { Source } from "../sources/source.ts";
import type { LayerLine, Reconciliation } from "./reconciliation.ts";

const importsOf = (stored: ReadonlyMap<number, readonly Source[]>) =>
  [...stored.values()]
    .flat()
    .flatMap(({ imported, statement, kind }) =>
      imported === undefined
        ? []
        : [{ imported, sent: statement.counts.browser, unit: UNITS[kind] ?? "row" }],
    );

/** What a source receives. */
const UNITS: Partial<Record<Source["kind"], string>> = { collector: "hit" };

/** Compares the rows of imported files with what became of them, and their events with the messages. */
export const importLines = (stored: ReadonlyMap<number, readonly Source[]>): LayerLine[] =>
  importsOf(stored).flatMap(({ imported, sent, unit }) => [
    {
      layer: "stg",
      identity: `${unit}s of ${imported.name} = events + reasons`,
      expected: rowsOf(imported),
      found: rowsOf(imported) - unexplainedRows(imported),
      isCompared: true,
    },
    {
      layer: "stg",
      identity: `events of ${imported.name} = browser messages`,
      expected: imported.events,
      found: sent,
      isCompared: true,
    },
  ]);

/** Says where the messages of the sources come from, as the head of a column. */
export function originOf(stored: ReadonlyMap<number, readonly Source[]>): Reconciliation["origin"] {
  const kinds = new Set(
    [...stored.values()].flat().flatMap(({ imported, kind }) => {
      if (kind === "replay") return [];
      if (imported === undefined) return "generated";
      return kind === "collector" ? "collected" : "in the file";
    }),
  );
  const [only = "generated", ...more] = kinds;
  return more.length === 0 ? only : "sent";
}

export const importNotes = (stored: ReadonlyMap<number, readonly Source[]>): string[] =>
  importsOf(stored).map(
    ({ imported, unit }) => `${imported.name}: ${accountText(imported, unit)}.`,
  );

/** Says what became of the rows of files, or of the hits of a collector, in one sentence. */
export function accountText(account: ImportAccount, unit = "row"): string {
  const { files, events, equal, repeated, further, rejected, skipped } = account;
  const reasons = (counts: Readonly<Record<string, number>>, what: string): string[] =>
    Object.entries(counts).map(
      ([reason, rows]) => `${formatNumber(rows, unit)} ${what} (${reason})`,
    );
  const parts = [
    formatNumber(events, "event"),
    ...(equal > 0 ? [formatNumber(equal, "equal row")] : []),
    ...(repeated > 0 ? [formatNumber(repeated, "repeated id")] : []),
    ...reasons(rejected, "rejected"),
    ...reasons(skipped, "skipped"),
  ];
  const rows = formatNumber(rowsOf(account), unit);
  const read = unit === "row" ? `${rows} of ${formatNumber(files.length, "file")}` : rows;
  const several =
    further === 0 ? "" : `, ${formatNumber(further, "further event")} of the same rows`;
  return `${read}${several} = ${parts.join(" + ")}`;
}
