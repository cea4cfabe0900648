import type { Database } from "../../contract/ports.ts";
import type { StreamName } from "../../contract/streams.ts";
import { formatCount, formatNumber } from "../../terminal/format.ts";
import { commandOn, hintToRun } from "../database/command.ts";
import { readQuery } from "../sql.ts";
import {
  differenceOf,
  type Layer,
  type MessageLine,
  type Reconciliation,
  sum,
} from "./reconciliation.ts";

export interface Finding {
  readonly what: string;
  readonly hint: string;
}

type Found = Pick<Reconciliation, "origin" | "messages" | "layers" | "onlyCopies" | "database">;

interface OnlyCopies {
  readonly stream: StreamName;
  readonly count: number;
}

export const findOnlyCopies = (db: Database): Promise<OnlyCopies[]> =>
  db.rows<OnlyCopies>(readQuery("checks/only_copies.sql"));

/** Counts the messages that only ods has. It searches rows, so call it only after a difference. */
export const countOnlyCopies = async (db: Database): Promise<number> =>
  sum((await findOnlyCopies(db)).map(({ count }) => count));

export const findingsOf = (reconciliation: Found): Finding[] => [
  ...fromSources(reconciliation),
  ...betweenStgAndOds(reconciliation),
  ...reconciliation.layers
    .filter((line) => differenceOf(line) > 0)
    .map(({ layer, identity }) => ({
      what: `${layer} differs in "${identity}"`,
      hint: hintOf(layer, identity, reconciliation),
    })),
];

function fromSources({ origin, messages, onlyCopies, database }: Found): Finding[] {
  const missing = total(messages, missingInStg);
  const surplus = total(messages, ({ generated, raw, undelivered }) =>
    generated === null ? 0 : raw + undelivered - generated,
  );
  const findings = [];
  if (missing > 0) {
    const isLoadable = origin === "generated" || origin === "in the file";
    const again = isLoadable ? `load the data again; ${beginAgain(database)}` : KEEP_HITS;
    const hint = onlyCopies > 0 ? keep(onlyCopies) : again;
    findings.push({ what: `${formatNumber(missing, "message")} sent and not in stg`, hint });
  }
  if (surplus > 0) {
    const what = `${formatNumber(surplus, "message")} in stg that no known source sent`;
    findings.push({ what, hint: surplusHint(database) });
  }
  return findings;
}

function betweenStgAndOds({ messages, onlyCopies, database }: Found): Finding[] {
  const differing = sum(messages.map(differenceToOds));
  if (differing === 0) return [];
  return [
    {
      what: `${formatNumber(differing, "message")} lost or duplicated between stg and ods`,
      hint: rebuildOds(onlyCopies, database),
    },
  ];
}

/** A collector deletes what it has delivered. */
const KEEP_HITS =
  "restore a snapshot, or read the hits in hits.outcome, which keeps them for 30 days; do not empty the layers, the only copy of the others";

const missingInStg = ({ generated, raw, undelivered }: MessageLine): number =>
  Math.max(0, (generated ?? 0) - raw - undelivered);

/** Returns the messages lost or duplicated after stg; a surplus in ods counts as lost in stg. */
function differenceToOds(line: MessageLine): number {
  const more = toOds(line);
  if (more < 0) return Math.max(0, -more - missingInStg(line));
  return isSwapped(line) ? 2 : more;
}

const toOds = ({ raw, typed, rejected, pending }: MessageLine): number =>
  raw - typed - rejected - pending;

/** True if one row is lost and another duplicated: counts agree, but rows do not. */
const isSwapped = (line: MessageLine): boolean =>
  line.unaccounted > 0 &&
  toOds(line) === 0 &&
  (line.generated === null || line.generated === line.raw + line.undelivered);

const total = (lines: readonly MessageLine[], of: (line: MessageLine) => number): number =>
  sum(lines.map((line) => Math.max(0, of(line))));

const beginAgain = (database: string | null): string =>
  `${hintToRun(database, "data --replace", "make data REPLACE=1")}, which empties the layers first`;

/** Returns the hint for a surplus. No other program writes into a workspace. */
const surplusHint = (database: string | null): string =>
  database === null
    ? `find the other program that writes to the topics; ${beginAgain(database)}`
    : beginAgain(database);

const keep = (onlyCopies: number): string =>
  `restore the lost rows from a backup; do not rebuild ods, the only copy of ${formatCount(onlyCopies)} messages that stg no longer has`;

export const rebuildOds = (onlyCopies: number, database: string | null): string =>
  onlyCopies > 0
    ? keep(onlyCopies)
    : `${rebuild("ods", database)}, which reload the messages from stg`;

export const rebuild = (layer: string, database: string | null): string => {
  const command = `ddl --rebuild ${layer}`;
  return `${hintToRun(database, command, `pipeline ${command}`)}, then \`${commandOn(database, "transform")}\``;
};

function hintOf(layer: Layer, identity: string, { onlyCopies, database }: Found): string {
  if (layer === "ods") return rebuildOds(onlyCopies, database);
  if (identity.includes("expired sessions"))
    return "restore a snapshot: only dds has these sessions";
  if (layer !== "stg")
    return `${hintToRun(database, "transform")}, which recomputes dds and dm from ods`;
  return database === null
    ? "run `make topics`, which registers the epoch of the topics"
    : beginAgain(database);
}
