import { UserError } from "../../contract/errors.ts";
import type { Database, Params } from "../../contract/ports.ts";
import { addStatements, type Statement } from "../../contract/statement.ts";
import { STREAMS } from "../../contract/streams.ts";
import { readQuery } from "../sql.ts";
import { scoreDefects } from "./defects.ts";
import type { DigestLine, LayerLine, Ledger, LostRow, MessageLine } from "./ledger.ts";
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
  const unaccounted = sum(messages.map((line) => line.unaccounted)) + sum(layers.map(difference));
  return {
    epoch,
    checksum: manifest?.checksum ?? null,
    messages,
    layers,
    defects: manifest ? await scoreDefects(db, epoch, manifest.defects) : [],
    // Searching for rows costs more than counting them.
    lost: unaccounted === 0 ? [] : await check<LostRow>(db, "lost"),
    digests: await digests(db),
    unaccounted,
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

type FoundLine = Omit<MessageLine, "generated" | "unaccounted"> & {
  /** Whether the very rows of stg are those of ods, not just as many. */
  readonly same_rows: boolean;
};

async function messageLines(
  db: Database,
  epoch: number,
  statement: Statement | undefined,
): Promise<MessageLine[]> {
  const found = await check<FoundLine>(db, "messages", { epoch });
  const hasDays = found.every((line) => line.day !== "");
  const lines = hasDays ? found : withoutDays(found);
  const silent = statement && hasDays ? daysWithoutMessages(statement, found) : [];
  return [...lines, ...silent].map(({ same_rows, ...line }) => {
    const generated = statement ? generatedOf(statement, line) : null;
    const unaccounted = unaccountedOf({ ...line, generated });
    // One lost and one doubled row: the counts agree, the rows do not.
    return { ...line, generated, unaccounted: Math.max(unaccounted, same_rows ? 0 : 2) };
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
      same_rows: own.every((line) => line.same_rows),
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
      same_rows: true,
    })),
  );
}

function generatedOf(
  { counts, days }: Statement,
  { stream, day }: Pick<FoundLine, "stream" | "day">,
): number {
  return day === "" ? counts[stream] : (days[day]?.[stream] ?? 0);
}

const check = <T>(db: Database, name: string, params: Params = {}): Promise<T[]> =>
  db.rows<T>(readQuery(`checks/${name}.sql`), params);

const difference = (line: LayerLine): number => Math.abs(line.expected - line.found);
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
