import { formatCount, renderTable } from "../terminal/format.ts";
import { type Ledger, sumByStream } from "./ledger.ts";

/** The ledger as text: streams, layers, defects, and the rows to look at. */
export function renderLedger(ledger: Ledger): string {
  return [messageTable(ledger), layerTable(ledger), defectTable(ledger), verdict(ledger)]
    .filter((part) => part !== "")
    .join("\n");
}

function messageTable({ messages }: Ledger): string {
  const rows = sumByStream(messages).map((line) => [
    line.stream,
    line.generated ?? "no manifest",
    line.raw,
    line.typed,
    line.rejected,
    line.pending,
    line.unaccounted,
  ]);
  return renderTable(
    ["stream", "generated", "in stg", "typed", "rejected", "pending", "unaccounted"],
    rows,
  );
}

function layerTable({ layers }: Ledger): string {
  const rows = layers.map((line) => [line.identity, line.expected, line.found]);
  return renderTable(["must agree", "expected", "found"], rows);
}

function defectTable({ defects }: Ledger): string {
  if (defects.length === 0) return "";
  const rows = defects.map((line) => [
    line.kind,
    line.injected,
    line.caught,
    line.missed,
    line.falseAlarms,
  ]);
  return renderTable(["injected defect", "injected", "caught", "missed", "false alarms"], rows);
}

function verdict(ledger: Ledger): string {
  const { inFlight = 0 } = ledger;
  const way =
    inFlight > 0 ? ` ${formatCount(inFlight)} more are in flight from a live source.` : "";
  if (ledger.unaccounted === 0) return `Every message is accounted for: 0 unaccounted.${way}`;
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
