import type { Database, Params } from "../../contract/ports.ts";
import { addStatements, type Statement } from "../../contract/statement.ts";
import { STREAMS } from "../../contract/streams.ts";
import { messageTables } from "../message-tables.ts";
import { readQuery } from "../sql.ts";
import { scoreDefects } from "./defects.ts";
import { digests } from "./digests.ts";
import { currentEpoch, type SourceFeed, storedFeed } from "./feed.ts";
import type { LayerLine, Ledger, LostRow, MessageLine } from "./ledger.ts";
import { unaccountedOf } from "./ledger.ts";
import type { Source } from "./source.ts";

export { currentEpoch } from "./feed.ts";

/**
 * Accounts for every message of the current epoch, from what its source says it sent to dm. The
 * sources are read before and after the messages are counted: what a live source sent meanwhile is
 * in flight, whether or not it was counted.
 * @throws UserError when there is no data to account for
 */
export async function prove(db: Database, feed?: SourceFeed): Promise<Ledger> {
  const epoch = await currentEpoch(db);
  const { read, arrived } = feed ?? storedFeed(db, epoch);
  const before = await read();
  const hasArrived = await arrived();
  const found = await perStream<FoundLine>(db, "messages", { epoch });
  const sources = feed ? await read() : before;
  const bounds = boundsOf(hasArrived ? before : [], sources);
  const messages = messageLines(found, bounds);
  const layers = await check<LayerLine>(db, "layers");
  const unaccounted = sum(messages.map((line) => line.unaccounted)) + sum(layers.map(difference));
  const [source, ...more] = sources;
  const defects = more.length === 0 ? (source?.defects ?? source?.manifest?.defects) : undefined;
  return {
    epoch,
    checksum: (more.length === 0 && source?.manifest?.checksum) || null,
    messages,
    layers,
    defects: defects ? await scoreDefects(db, epoch, defects) : [],
    // Searching for rows costs more than counting them.
    lost: unaccounted === 0 ? [] : await perStream<LostRow>(db, "lost"),
    digests: await digests(db),
    inFlight: bounds
      ? sum(messages.map((line) => generatedOf(bounds.most, line) - (line.generated ?? 0)))
      : 0,
    unaccounted,
  };
}

type FoundLine = Omit<MessageLine, "generated" | "unaccounted"> & {
  /** Whether the very rows of stg are those of ods, not just as many. */
  readonly same_rows: boolean;
};

/** What was sent at least, and at most, when the messages were counted. */
interface Bounds {
  readonly least: Statement;
  readonly most: Statement;
}

const boundsOf = (before: readonly Source[], after: readonly Source[]): Bounds | undefined =>
  after.length === 0
    ? undefined
    : {
        least: addStatements(before.map(({ statement }) => statement)),
        most: addStatements(after.map(({ statement }) => statement)),
      };

function messageLines(found: readonly FoundLine[], bounds: Bounds | undefined): MessageLine[] {
  const hasDays = found.every((line) => line.day !== "");
  const lines = hasDays ? found : withoutDays(found);
  const silent = bounds && hasDays ? daysWithoutMessages(bounds.most, found) : [];
  return [...lines, ...silent].map(({ same_rows, ...line }) => {
    const generated = bounds ? sentOf(bounds, line) : null;
    const unaccounted = unaccountedOf({ ...line, generated });
    // One lost and one doubled row: the counts agree, the rows do not.
    return { ...line, generated, unaccounted: Math.max(unaccounted, same_rows ? 0 : 2) };
  });
}

/** Of a live source as much counts as sent as was found, within its bounds. */
const sentOf = ({ least, most }: Bounds, line: Omit<FoundLine, "same_rows">): number =>
  Math.min(generatedOf(most, line), Math.max(generatedOf(least, line), line.raw));

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

async function perStream<T>(db: Database, name: string, params: Params = {}): Promise<T[]> {
  const rows: T[] = [];
  for (const stream of STREAMS) {
    rows.push(...(await check<T>(db, name, { ...params, ...messageTables(stream), stream })));
  }
  return rows;
}

const difference = (line: LayerLine): number => Math.abs(line.expected - line.found);
const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
