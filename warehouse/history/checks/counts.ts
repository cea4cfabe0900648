import { STREAMS, type StreamName } from "../../../contract/streams.ts";
import { messageTables } from "../../sql.ts";
import { ask, type CheckContext } from "./context.ts";
import { type CheckResult, count, verdict } from "./result.ts";

/** Counts of one day; `day` is empty if unknown. */
interface DayCounts {
  readonly day: string;
  readonly stored: number;
  /** Number of messages that expired from stg but are in ods. */
  readonly expired: number;
  readonly typed: number;
  readonly rejected: number;
}

export type ExpiredCounts = Readonly<Record<StreamName, number>>;

export interface CountsFinding {
  readonly results: CheckResult[];
  readonly expired: ExpiredCounts;
}

export async function checkCounts(context: CheckContext): Promise<CountsFinding> {
  const results: CheckResult[] = [];
  const expired = { browser: 0, location: 0, device: 0, geo: 0 };
  for (const stream of STREAMS) {
    const days = await ask<DayCounts>(context, "counts", messageTables(stream));
    expired[stream] = days.reduce((sum, day) => sum + day.expired, 0);
    results.push(compare(context, stream, days));
  }
  return { results, expired };
}

function compare(
  { manifest }: CheckContext,
  stream: StreamName,
  found: readonly DayCounts[],
): CheckResult {
  const inRaw = ({ stored, expired }: DayCounts) => stored + expired;
  const inOds = ({ typed, rejected }: DayCounts) => typed + rejected;
  const total = (part: (day: DayCounts) => number) => found.reduce((sum, d) => sum + part(d), 0);
  const promised = manifest.counts[stream];
  const faults = found.some((line) => line.day === "")
    ? []
    : wrongDays(manifest.days, stream, found, [inRaw, inOds]);
  const figures = `manifest ${count(promised)}, stg ${count(total(inRaw))}, ods ${count(total(inOds))} (typed ${count(total((d) => d.typed))}, rejected ${count(total((d) => d.rejected))})`;
  const holds = total(inRaw) === promised && total(inOds) === promised && faults.length === 0;
  const where = faults.length > 0 ? `; days that differ: ${faults.slice(0, 5).join(", ")}` : "";
  return verdict(`counts of ${stream}`, holds, figures + where);
}

function wrongDays(
  promised: CheckContext["manifest"]["days"],
  stream: StreamName,
  found: readonly DayCounts[],
  parts: readonly ((day: DayCounts) => number)[],
): string[] {
  const byDay = new Map(found.map((line) => [line.day, line]));
  const days = new Set([...Object.keys(promised), ...byDay.keys()]);
  return [...days].sort().filter((day) => {
    const line = byDay.get(day);
    const expected = promised[day]?.[stream] ?? 0;
    return parts.some((part) => (line ? part(line) : 0) !== expected);
  });
}
