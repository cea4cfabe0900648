import type { Database } from "../../contract/ports.ts";
import { LOADS_UNTIL_LATE } from "../../contract/schedule.ts";
import { formatNumber } from "../../terminal/format.ts";
import { readProgress } from "./progress.ts";
import {
  isBetweenLoads,
  type Reconciliation,
  type Schedule,
  sum,
  type WaitingLine,
} from "./reconciliation.ts";

export async function readSchedule(db: Database, everySeconds: number): Promise<Schedule> {
  const { load_seconds } = await readProgress(db);
  return { everySeconds, nextInSeconds: Math.max(0, everySeconds - load_seconds) };
}

/** Age from which a message is overdue. */
const overdueSeconds = ({ everySeconds }: Schedule): number => LOADS_UNTIL_LATE * everySeconds;

/** Adds a schedule, and marks the messages that it should have loaded. */
export const withSchedule = (
  reconciliation: Reconciliation,
  schedule: Schedule,
): Reconciliation => ({
  ...reconciliation,
  waiting: reconciliation.waiting.map((line) => marked(line, schedule)),
  schedule,
  isOnTime: isBetweenLoads(reconciliation, overdueSeconds(schedule)),
});

function marked(line: WaitingLine, schedule: Schedule): WaitingLine {
  const { layer, oldestSeconds } = line;
  const isLate = oldestSeconds !== null && oldestSeconds >= overdueSeconds(schedule);
  return layer !== "stg" && isLate ? { ...line, isOverdue: true, hint: FIND_PAUSE } : line;
}

const FIND_PAUSE = "run `make dags`, which shows whether etl_live or etl_pipeline is paused";

export function upToDateText(
  { waiting }: Pick<Reconciliation, "waiting">,
  { nextInSeconds }: Schedule,
): string {
  const due = nextInSeconds > 0 ? `within ${nextInSeconds} s` : "now";
  return `Up to date: 0 unaccounted, ${formatNumber(messagesIn(waiting), "message")} waiting for the next load, due ${due}.`;
}

/** Counts messages once: several steps of dm may wait for the same rows. */
function messagesIn(waiting: readonly WaitingLine[]): number {
  const countsOf = (isOfDm: boolean) =>
    waiting.filter(({ layer }) => (layer === "dm") === isOfDm).map(({ count }) => count);
  return sum(countsOf(false)) + Math.max(0, ...countsOf(true));
}
