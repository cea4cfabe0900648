import { formatCount, formatSeconds, renderTable } from "../terminal/format.ts";
import { type Ledger, streamVerdict, sumByStream, type WaitingLine, waitingOf } from "./ledger.ts";

/** The ledger as text: streams, layers, defects, what waits, and the rows to look at. */
export function renderLedger(ledger: Ledger): string {
  return [
    messageTable(ledger),
    layerTable(ledger),
    defectTable(ledger),
    ...ledger.waiting.map((line) => `${waitingText(line)}. hint: ${line.next}`),
    verdictText(ledger),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function messageTable(ledger: Ledger): string {
  const rows = sumByStream(ledger.messages).map((line) => [
    line.stream,
    line.generated ?? "no manifest",
    line.raw,
    line.typed,
    line.rejected,
    waitingOf(ledger, line.stream),
    line.unaccounted,
    streamVerdict(ledger, line.stream),
  ]);
  return renderTable(
    ["stream", "generated", "in stg", "typed", "rejected", "waiting", "unaccounted", "verdict"],
    rows,
  );
}

function layerTable({ layers }: Ledger): string {
  const rows = layers.map(({ identity, expected, found, isCompared }) => [
    identity,
    expected,
    isCompared ? found : "changing",
  ]);
  return renderTable(["must agree", "expected", "found"], rows);
}

function defectTable({ defects }: Ledger): string {
  if (defects.length === 0) return "";
  const rows = defects.map((line) => [
    line.kind,
    line.injected,
    line.caught,
    line.pending,
    line.missed,
    line.falseAlarms,
  ]);
  return renderTable(
    ["injected defect", "injected", "caught", "pending", "missed", "false alarms"],
    rows,
  );
}

/** What waits, since when, and for which reader or step. */
export function waitingText({ layer, stream, count, oldestSeconds, step }: WaitingLine): string {
  const subject = layer === "dm" ? "rows of dds" : `${stream} messages`;
  const age = oldestSeconds === null ? "" : `, the oldest for ${formatSeconds(oldestSeconds)}`;
  return `${formatCount(count)} ${subject} are not in ${layer} yet${age}: ${step} is behind`;
}

function verdictText(ledger: Ledger): string {
  const { inFlight } = ledger;
  const more =
    inFlight > 0 ? ` ${formatCount(inFlight)} more are in flight from a live source.` : "";
  if (ledger.verdict === "accounted") {
    return `Every message is accounted for: 0 unaccounted.${more}`;
  }
  if (ledger.verdict === "incomplete") return `Incomplete: 0 unaccounted so far.${more}`;
  const days = ledger.messages
    .filter((line) => line.unaccounted !== 0)
    .map((line) => `  ${line.stream} ${line.day || "all days"}: ${formatCount(line.unaccounted)}`);
  const rows = ledger.lost.map(
    (row) => `  ${row.stream} epoch ${row.epoch} partition ${row.partition} offset ${row.offset}`,
  );
  return [
    `${formatCount(ledger.unaccounted)} unaccounted.`,
    ...days,
    ...(rows.length > 0 ? ["Raw messages that were loaded and are nowhere:", ...rows] : []),
  ].join("\n");
}
