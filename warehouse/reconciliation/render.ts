import { callable } from "../../contract/command-call.ts";
import type { StreamName } from "../../contract/streams.ts";
import { formatCount, formatSeconds, renderTable } from "../../terminal/format.ts";
import { findingsOf } from "./findings.ts";
import {
  type MessageLine,
  type Messages,
  ofEpoch,
  type Reconciliation,
  streamVerdict,
  sumByStream,
  type WaitingLine,
  waitingOf,
} from "./reconciliation.ts";
import { upToDateText } from "./schedule.ts";

export function renderReconciliation(reconciliation: Reconciliation): string {
  return [
    messageTable(reconciliation),
    earlierTable(reconciliation),
    layerTable(reconciliation),
    defectTable(reconciliation),
    ...waitingLines(reconciliation),
    ...reconciliation.notes,
    verdictText(reconciliation),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** Lists what waits; nothing if the schedule will load it. */
const waitingLines = (reconciliation: Reconciliation): string[] =>
  reconciliation.isOnTime
    ? []
    : reconciliation.waiting.map((line) => `${waitingText(line)}. hint: ${callable(line.hint)}`);

const headOf = ({ origin }: Reconciliation): string[] => [
  ...[origin, "in stg", "typed", "rejected"],
  ...["waiting", "unaccounted", "verdict"],
];

function messageTable(reconciliation: Reconciliation): string {
  const current = ofEpoch(reconciliation, reconciliation.epoch);
  const rows = sumByStream(current.messages).map((line) => [line.stream, ...cells(current, line)]);
  return renderTable(["stream", ...headOf(reconciliation)], rows);
}

function earlierTable(reconciliation: Reconciliation): string {
  const epochs = new Set(reconciliation.messages.map(({ epoch }) => epoch));
  const rows = [...epochs]
    .filter((epoch) => epoch !== reconciliation.epoch)
    .map((epoch) => ofEpoch(reconciliation, epoch))
    .flatMap((part) =>
      sumByStream(part.messages).map((line) => [line.epoch, line.stream, ...cells(part, line)]),
    )
    // An epoch is a name, not an amount.
    .map(([epoch, ...rest]) => [String(epoch), ...rest]);
  return rows.length === 0
    ? ""
    : renderTable(["other epoch", "stream", ...headOf(reconciliation)], rows);
}

const cells = (part: Messages, line: MessageLine): (string | number)[] => [
  generatedText(line),
  line.raw,
  line.typed,
  line.rejected,
  waitingOf(part, line.stream),
  line.unaccounted,
  streamText(part, line.stream),
];

function streamText(part: Messages, stream: StreamName): string {
  const verdict = streamVerdict(part, stream);
  return verdict === "incomplete" && part.isOnTime ? "up to date" : verdict;
}

const generatedText = ({ generated, isLowerBound }: MessageLine): string | number => {
  if (generated === null) return "no manifest";
  return isLowerBound ? `≥ ${formatCount(generated)}` : generated;
};

function layerTable({ layers }: Reconciliation): string {
  const rows = layers.map(({ identity, expected, found, isCompared }) => [
    identity,
    expected,
    isCompared ? found : "changing",
  ]);
  return renderTable(["must agree", "expected", "found"], rows);
}

function defectTable({ defects }: Reconciliation): string {
  if (defects.length === 0) return "";
  const rows = defects.map((line) => [
    line.kind,
    line.injected,
    line.caught,
    line.pending,
    line.missed,
    line.falseAlarms,
  ]);
  const table = renderTable(
    ["injected defect", "injected", "caught", "pending", "missed", "false alarms"],
    rows,
  );
  return `${table}\nDefects are a score: a missed one does not change the verdict.`;
}

export function waitingText(line: WaitingLine): string {
  const { layer, stream, count, oldestSeconds, step, epoch, reason } = line;
  const state = line.isOverdue ? "overdue" : "behind";
  // Only an interrupted load has a reason in stg, and no step is behind.
  if (reason !== undefined && layer === "stg") return reason;
  if (reason !== undefined) {
    const since = oldestSeconds === null ? "" : `, for ${formatSeconds(oldestSeconds)}`;
    return `${reason}${since}: ${step} is ${state}`;
  }
  const subject = layer === "dm" ? "rows of dds" : `${stream} messages${epochText(epoch)}`;
  const age = oldestSeconds === null ? "" : `, the oldest for ${formatSeconds(oldestSeconds)}`;
  return `${formatCount(count)} ${subject} are not in ${layer} yet${age}: ${step} is ${state}`;
}

const epochText = (epoch: number | undefined): string =>
  epoch === undefined ? "" : ` of epoch ${epoch}`;

function accountedText({ messages }: Reconciliation): string {
  const epochs = new Set(messages.map(({ epoch }) => epoch));
  const isOpen = ({ generated, isLowerBound }: MessageLine) => generated === null || isLowerBound;
  const open = new Set(messages.filter(isOpen).map(({ epoch }) => epoch));
  if (open.size === 0) return "Every message is accounted for";
  const compared = epochs.size - open.size;
  return `Every message in stg is accounted for, against the sources of ${compared} of ${epochs.size} epochs`;
}

function verdictText(reconciliation: Reconciliation): string {
  const { inFlight, schedule, isOnTime } = reconciliation;
  const more =
    inFlight > 0 ? ` ${formatCount(inFlight)} more are in flight from a live source.` : "";
  if (reconciliation.verdict === "accounted") {
    return `${accountedText(reconciliation)}: 0 unaccounted.${more}`;
  }
  if (reconciliation.verdict === "incomplete") {
    const text =
      schedule && isOnTime
        ? upToDateText(reconciliation, schedule)
        : "Incomplete: 0 unaccounted so far.";
    return `${text}${more}`;
  }
  const days = reconciliation.messages
    .filter((line) => line.unaccounted !== 0)
    .map((line) => {
      const epoch = line.epoch === reconciliation.epoch ? undefined : line.epoch;
      return `  ${line.stream} ${line.day || "all days"}${epochText(epoch)}: ${formatCount(line.unaccounted)}`;
    });
  const rows = reconciliation.lost.map(
    (row) => `  ${row.stream} epoch ${row.epoch} partition ${row.partition} offset ${row.offset}`,
  );
  return [
    `${formatCount(reconciliation.unaccounted)} unaccounted.`,
    ...days,
    ...findingsOf(reconciliation).map(({ what, hint }) => `${what}. hint: ${callable(hint)}`),
    ...(rows.length > 0 ? ["Raw messages that were loaded but are missing in ods:", ...rows] : []),
  ].join("\n");
}
