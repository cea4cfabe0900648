import { DEFECT_KINDS, type DefectCounts, type DefectKind } from "../../contract/defects.ts";
import type { Database } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { readQuery } from "../sql.ts";
import type { DefectLine } from "./ledger.ts";

/** Defects of one kind that another kind causes as well: a cut-off location is missing, too. */
const consequences: Partial<Record<DefectKind, StreamName>> = {
  missing_location: "location",
  missing_device: "device",
};

/** How many of the injected defects of an epoch the pipeline caught, per kind. */
export async function scoreDefects(
  db: Database,
  epoch: number,
  injected: DefectCounts,
): Promise<DefectLine[]> {
  type Found = { kind: DefectKind; stream: StreamName; found: number };
  const found = await db.rows<Found>(readQuery("checks/defects.sql"), { epoch });
  return DEFECT_KINDS.map((kind) => {
    const cause = consequences[kind];
    const caused = cause ? injected.malformed[cause] : 0;
    const lines = found
      .filter((line) => line.kind === kind)
      .map(({ stream, found }) => score(injected[kind][stream], found - caused));
    return { kind, ...addScores(lines) };
  });
}

type Score = Omit<DefectLine, "kind">;

function score(injected: number, found: number): Score {
  const caught = Math.min(injected, found);
  return { injected, caught, missed: injected - caught, falseAlarms: found - caught };
}

const addScores = (scores: readonly Score[]): Score => ({
  injected: sum(scores.map((line) => line.injected)),
  caught: sum(scores.map((line) => line.caught)),
  missed: sum(scores.map((line) => line.missed)),
  falseAlarms: sum(scores.map((line) => line.falseAlarms)),
});

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
