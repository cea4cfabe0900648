import type { Database } from "../../contract/ports.ts";
import { addStatements, type Statement } from "../../contract/statement.ts";
import { readQuery } from "../sql.ts";
import { type DefectsOf, scoreDefects } from "./defects.ts";
import { digests } from "./digests.ts";
import { currentEpoch, nothingToAccountFor, type SourceFeed, storedFeed } from "./feed.ts";
import {
  differenceOf,
  type LayerLine,
  type Ledger,
  type LostRow,
  sum,
  verdictOf,
  type WaitingLine,
} from "./ledger.ts";
import { type Bounds, findMessages, messageLines, storedOffsets } from "./messages.ts";
import { perStream } from "./per-stream.ts";
import { isOpen, type Source } from "./source.ts";
import { findWaiting } from "./waiting.ts";

export { currentEpoch } from "./feed.ts";

/**
 * Accounts for every message of the current epoch, from what its source says it sent to dm. The
 * sources are read before and after the messages are counted: what a live source sent meanwhile is
 * in flight, whether or not it was counted.
 * @throws UserError when there is no data to account for
 */
export async function prove(db: Database, feed?: SourceFeed): Promise<Ledger> {
  const epoch = await currentEpoch(db);
  const { read, delivery } = feed ?? storedFeed(db, epoch);
  const before = await read();
  const { undelivered: undeliveredFrom } = await delivery();
  const found = await findMessages(db, epoch);
  const undelivered = await undeliveredFrom(storedOffsets(found));
  const sources = feed ? await read() : before;
  const messages = messageLines(found, boundsOf(before, sources, feed !== undefined), undelivered);
  const waiting = await findWaiting(db, found, undelivered);
  const layers = await compareLayers(db, waiting);
  const isEmpty = layers.every(({ expected, found }) => expected + found === 0);
  if (isEmpty && found.length + sources.length === 0) throw nothingToAccountFor();
  const unaccounted = sum(messages.map((line) => line.unaccounted)) + sum(layers.map(differenceOf));
  const [source, ...more] = sources;
  const only = more.length === 0 ? source : undefined;
  const injected = only?.defects ?? only?.manifest?.defects;
  const scored: DefectsOf = { epoch, messages, waiting };
  return {
    epoch,
    checksum: only?.manifest?.checksum ?? null,
    messages,
    waiting,
    layers,
    defects: injected ? await scoreDefects(db, scored, injected) : [],
    // Searching for rows costs more than counting them.
    lost: unaccounted === 0 ? [] : await perStream<LostRow>(db, "lost"),
    digests: await digests(db),
    inFlight: sum(messages.map((line) => line.inFlight)),
    unaccounted,
    verdict: verdictOf(unaccounted, waiting, layers),
  };
}

/** @param isCurrent whether the sources were asked, and not only what was stored of them */
function boundsOf(
  before: readonly Source[],
  after: readonly Source[],
  isCurrent: boolean,
): Bounds | undefined {
  if (after.length === 0) return undefined;
  const isKnown = isCurrent || !after.some(isOpen);
  return { before: sentBy(before), after: isKnown ? sentBy(after) : null };
}

const sentBy = (sources: readonly Source[]): Statement =>
  addStatements(sources.map(({ statement }) => statement));

/** One row of `sql/checks/layers.sql`. */
type FoundSum = Omit<LayerLine, "isCompared"> & {
  readonly step: string;
  readonly is_unfinished: boolean;
};

async function compareLayers(db: Database, waiting: readonly WaitingLine[]): Promise<LayerLine[]> {
  const sums = await db.rows<FoundSum>(readQuery("checks/layers.sql"));
  return sums.map(({ step, is_unfinished, ...line }) => ({
    ...line,
    isCompared: !is_unfinished && !waiting.some((wait) => changes(wait, step)),
  }));
}

/** The summary counts the other tables of dm, so what they wait for is missing from it, too. */
const changes = (waiting: WaitingLine, step: string): boolean =>
  waiting.layer === "dm" && (waiting.step === step || step === "load_dm_summary");
