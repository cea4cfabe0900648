import { DEFECT_KINDS, type DefectCounts, type DefectKind } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { addStatements, type Statement } from "../../contract/statement.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { readQuery } from "../sql.ts";
import type { DefectLine, DigestLine, LayerLine, Ledger, LostRow, MessageLine } from "./ledger.ts";
import { unaccountedOf } from "./ledger.ts";
import { readSources } from "./source.ts";

/**
 * Accounts for every message of the current epoch, from what its source says it sent to dm.
 * @throws UserError when there is no data to account for
 */
export async function prove(db: Database): Promise<Ledger> {
  const epoch = await currentEpoch(db);
  const sources = await readSources(db, epoch);
  const statement = sources.length > 0 ? addStatements(sources.map((s) => s.statement)) : undefined;
  const manifest = sources.length === 1 ? sources[0]?.manifest : undefined;
  const messages = await messageLines(db, epoch, statement);
  const layers = await check<LayerLine>(db, "layers");
  const lost = await check<LostRow>(db, "lost");
  return {
    epoch,
    checksum: manifest?.checksum ?? null,
    messages,
    layers,
    defects: manifest ? await defectLines(db, epoch, manifest.defects) : [],
    lost,
    digests: await digests(db),
    unaccounted: sum(messages.map((line) => line.unaccounted)) + sum(layers.map(difference)),
  };
}

/** Order-independent digests of every typed table. */
export async function digests(db: Database): Promise<DigestLine[]> {
  const lines = await check<{ name: string; row_count: number; digest: string }>(db, "digests");
  return lines.map(({ name, row_count, digest }) => ({ name, rows: row_count, digest }));
}

export async function currentEpoch(db: Database): Promise<number> {
  const [row] = await db.rows<{ epoch: number }>("SELECT max(epoch) AS epoch FROM stg.epoch");
  if (row && row.epoch > 0) return row.epoch;
  throw new UserError("stg holds no data yet: there is nothing to account for.", "make data");
}

type FoundLine = Omit<MessageLine, "generated" | "unaccounted">;

async function messageLines(
  db: Database,
  epoch: number,
  statement: Statement | undefined,
): Promise<MessageLine[]> {
  const found = await check<FoundLine>(db, "messages", { epoch });
  const hasDays = found.every((line) => line.day !== "");
  const lines = hasDays ? found : withoutDays(found);
  const silent = statement && hasDays ? daysWithoutMessages(statement, found) : [];
  return [...lines, ...silent].map((line) => {
    const generated = statement ? generatedOf(statement, line) : null;
    return { ...line, generated, unaccounted: unaccountedOf({ ...line, generated }) };
  });
}

/** Messages without an emission time cannot be told apart by day: one line per stream. */
function withoutDays(lines: readonly FoundLine[]): FoundLine[] {
  return STREAMS.map((stream) => {
    const own = lines.filter((line) => line.stream === stream);
    return {
      stream,
      day: "",
      raw: sum(own.map((line) => line.raw)),
      typed: sum(own.map((line) => line.typed)),
      rejected: sum(own.map((line) => line.rejected)),
      pending: sum(own.map((line) => line.pending)),
    };
  });
}

/** Days of which nothing at all arrived must not be overlooked. */
function daysWithoutMessages(statement: Statement, found: readonly FoundLine[]): FoundLine[] {
  const present = new Set(found.map((line) => `${line.stream} ${line.day}`));
  return Object.keys(statement.days).flatMap((day) =>
    STREAMS.filter((stream) => !present.has(`${stream} ${day}`)).map((stream) => ({
      stream,
      day,
      raw: 0,
      typed: 0,
      rejected: 0,
      pending: 0,
    })),
  );
}

function generatedOf({ counts, days }: Statement, { stream, day }: FoundLine): number {
  return day === "" ? counts[stream] : (days[day]?.[stream] ?? 0);
}

/** Defects of one kind that another kind causes as well: a cut-off location is missing, too. */
const consequences: Partial<Record<DefectKind, StreamName>> = {
  missing_location: "location",
  missing_device: "device",
};

async function defectLines(
  db: Database,
  epoch: number,
  injected: DefectCounts,
): Promise<DefectLine[]> {
  type Found = { kind: DefectKind; stream: StreamName; found: number };
  const found = await check<Found>(db, "defects", { epoch });
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

const check = <T>(db: Database, name: string, params: Params = {}): Promise<T[]> =>
  db.rows<T>(readQuery(`checks/${name}.sql`), params);

const difference = (line: LayerLine): number => Math.abs(line.expected - line.found);
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
