import { type ImportAccount, rowsOf, unexplainedRows } from "../../contract/import-account.ts";
import { formatNumber } from "../../terminal/format.ts";
import type { Source } from "../sources/source.ts";
import type { LayerLine } from "./reconciliation.ts";

const importsOf = (stored: ReadonlyMap<number, readonly Source[]>) =>
  [...stored.values()]
    .flat()
    .flatMap(({ imported, statement }) =>
      imported === undefined ? [] : [{ imported, sent: statement.counts.browser }],
    );

/** Compares the rows of imported files with what became of them, and their events with the messages. */
export const importLines = (stored: ReadonlyMap<number, readonly Source[]>): LayerLine[] =>
  importsOf(stored).flatMap(({ imported, sent }) => [
    {
      layer: "stg",
      identity: `rows of ${imported.name} = events + reasons`,
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

export const importNotes = (stored: ReadonlyMap<number, readonly Source[]>): string[] =>
  importsOf(stored).map(({ imported }) => `${imported.name}: ${accountText(imported)}.`);

/** Says what became of the rows of files, in one sentence. */
export function accountText(account: ImportAccount): string {
  const { files, events, equal, repeated, further, rejected, skipped } = account;
  const reasons = (counts: Readonly<Record<string, number>>, what: string): string[] =>
    Object.entries(counts).map(
      ([reason, rows]) => `${formatNumber(rows, "row")} ${what} (${reason})`,
    );
  const parts = [
    formatNumber(events, "event"),
    ...(equal > 0 ? [formatNumber(equal, "equal row")] : []),
    ...(repeated > 0 ? [formatNumber(repeated, "repeated id")] : []),
    ...reasons(rejected, "rejected"),
    ...reasons(skipped, "skipped"),
  ];
  const read = `${formatNumber(rowsOf(account), "row")} of ${formatNumber(files.length, "file")}`;
  const several =
    further === 0 ? "" : `, ${formatNumber(further, "further event")} of the same rows`;
  return `${read}${several} = ${parts.join(" + ")}`;
}
