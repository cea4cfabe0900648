import { DEFECT_KINDS, type DefectCounts, type DefectKind } from "../../contract/defects.ts";
import { LAYERS } from "../../contract/layers.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { readQuery } from "../sql.ts";
import type { CutOffsets } from "./feed.ts";
import { offsetsText } from "./messages.ts";
import { type DefectLine, ofEpoch, type Reconciliation, sum, sums } from "./reconciliation.ts";

export type DefectsOf = Pick<Reconciliation, "epoch" | "messages" | "waiting">;

type Found = { kind: DefectKind | "repaired"; stream: StreamName; found: number };

/** Streams that dds must contain (`seen`) or lack (`absent`, unless that message is malformed). */
const missing: Partial<Record<DefectKind, { seen: readonly StreamName[]; absent: StreamName }>> = {
  missing_location: { seen: ["browser"], absent: "location" },
  missing_device: { seen: ["browser", "geo"], absent: "device" },
};

export async function scoreDefects(
  db: Database,
  reconciliation: DefectsOf,
  injected: DefectCounts,
  ends: CutOffsets = new Map(),
): Promise<DefectLine[]> {
  const { epoch } = reconciliation;
  const params = STREAMS.map((stream) => [`${stream}_ends`, offsetsText(ends, stream)]);
  const found = await db.rows<Found>(readQuery("checks/defects.sql"), {
    epoch,
    ...Object.fromEntries(params),
  });
  const countOf = (kind: Found["kind"], stream: StreamName): number =>
    sum(
      found
        .filter((line) => line.kind === kind && line.stream === stream)
        .map((line) => line.found),
    );
  const malformed = (stream: StreamName): number =>
    countOf("malformed", stream) - countOf("repaired", stream);
  return DEFECT_KINDS.map((kind) => {
    const lines = found
      .filter((line) => line.kind === kind)
      .map(({ stream, found }) => {
        const rule = missing[kind];
        const tally = { injected: injected[kind][stream], found };
        if (!rule)
          return score({ ...tally, unseen: onTheWay(reconciliation, stream, "ods"), arriving: 0 });
        return score({
          ...tally,
          found: found - malformed(rule.absent),
          unseen: sum(rule.seen.map((seen) => onTheWay(reconciliation, seen, "dds"))),
          arriving: onTheWay(reconciliation, rule.absent, "dds"),
        });
      });
    return { kind, ...sums(lines, SCORES) };
  });
}

function onTheWay(reconciliation: DefectsOf, stream: StreamName, to: "ods" | "dds"): number {
  const { messages, waiting } = ofEpoch(reconciliation, reconciliation.epoch);
  const layers = LAYERS.slice(0, LAYERS.indexOf(to) + 1);
  const inFlight = messages.filter((line) => line.stream === stream).map((line) => line.inFlight);
  const counts = waiting
    .filter((line) => line.stream === stream && layers.includes(line.layer))
    .map((line) => line.count);
  return sum(inFlight) + sum(counts);
}

type Score = Omit<DefectLine, "kind">;
const SCORES = ["injected", "caught", "pending", "missed", "falseAlarms"] as const;

interface Tally {
  readonly injected: number;
  readonly found: number;
  /** Waiting messages that may contain a defect of the kind. */
  readonly unseen: number;
  /** Waiting messages that may disprove a finding. */
  readonly arriving: number;
}

function score({ injected, found, unseen, arriving }: Tally): Score {
  const caught = Math.min(injected, Math.max(0, found));
  const pending = Math.min(injected - caught, unseen);
  return {
    injected,
    caught,
    pending,
    missed: injected - caught - pending,
    falseAlarms: Math.max(0, found - injected - arriving),
  };
}
