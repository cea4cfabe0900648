import type { Database } from "../../contract/ports.ts";
import { readQuery } from "../sql.ts";
import { type DefectsOf, scoreDefects } from "./defects.ts";
import { digests } from "./digests.ts";
import { type Cut, currentEpoch, nothingToAccountFor, type SourceFeed } from "./feed.ts";
import { countOnlyCopies } from "./findings.ts";
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
import { dmSteps, type Progress, readProgress } from "./progress.ts";
import { mayHaveSentMore, readAllSources, type Source, sentBy } from "./source.ts";
import { findWaiting } from "./waiting.ts";

export { currentEpoch } from "./feed.ts";

/**
 * Accounts for every message of all epochs, from what its source says it sent to dm. With a feed, of the
 * current epoch up to a cut: what came later does not count.
 * @throws UserError when there is no data to account for
 */
export async function prove(db: Database, feed?: SourceFeed): Promise<Ledger> {
  const epoch = await currentEpoch(db);
  const cut = await feed?.cut();
  const found = await findMessages(db, epoch, cut?.ends);
  const undelivered = (await cut?.undelivered(storedOffsets(found))) ?? [];
  const stored = await readAllSources(db);
  const messages = messageLines(found, boundsOf(stored, epoch, cut), undelivered);
  const progress = await readProgress(db);
  const waiting = await findWaiting(db, epoch, found, undelivered, progress);
  const layers = await compareLayers(db, waiting, progress);
  const isEmpty = layers.every(({ expected, found }) => expected + found === 0);
  if (isEmpty && messages.length === 0) throw nothingToAccountFor();
  const unaccounted = sum(messages.map((line) => line.unaccounted)) + sum(layers.map(differenceOf));
  const [source, ...more] = cut?.after ?? stored.get(epoch) ?? [];
  const only = more.length === 0 ? source : undefined;
  const injected = only?.defects ?? only?.manifest?.defects;
  const scored: DefectsOf = { epoch, messages, waiting };
  return {
    epoch,
    checksum: only?.manifest?.checksum ?? null,
    messages,
    waiting,
    layers,
    defects: injected ? await scoreDefects(db, scored, injected, cut?.ends) : [],
    // Searching for rows costs more than counting them.
    lost: unaccounted === 0 ? [] : await perStream<LostRow>(db, "lost"),
    onlyCopies: unaccounted === 0 ? 0 : await countOnlyCopies(db),
    digests: await digests(db),
    inFlight: sum(messages.map((line) => line.inFlight)),
    unaccounted,
    verdict: verdictOf(unaccounted, waiting, layers),
  };
}

/** What the sources of each epoch say: of the current one at the cut, of others as it was stored. */
function boundsOf(
  stored: ReadonlyMap<number, readonly Source[]>,
  epoch: number,
  cut: Cut | undefined,
): Map<number, Bounds> {
  const bounds = new Map([...stored].map(([of, sources]) => [of, storedBounds(sources)]));
  if (!cut) return bounds;
  bounds.delete(epoch);
  if (cut.after.length === 0) return bounds;
  return bounds.set(epoch, { least: sentBy(cut.before), most: sentBy(cut.after) });
}

function storedBounds(sources: readonly Source[]): Bounds {
  const least = sentBy(sources);
  return { least, most: sources.some(mayHaveSentMore) ? null : least };
}

/** One row of `sql/checks/layers.sql`. */
type FoundSum = Omit<LayerLine, "isCompared"> & { readonly step: string };

/** Sums of a layer say nothing while a step has written some of it, and not committed. */
async function compareLayers(
  db: Database,
  waiting: readonly WaitingLine[],
  progress: Progress,
): Promise<LayerLine[]> {
  const { dds_load } = progress;
  const sums = await db.rows<FoundSum>(readQuery("checks/layers.sql"), { dds_load });
  const interrupted = dmSteps(progress).filter(({ isInterrupted }) => isInterrupted);
  const unfinished = [
    ...interrupted.map(({ step }) => step),
    ...waiting.filter(({ layer }) => layer === "dm").map(({ step }) => step),
  ];
  const isCompared = ({ layer, step }: FoundSum): boolean => {
    if (layer === "stg" || layer === "ods") return true;
    if (progress.is_dds_interrupted) return false;
    return layer === "dds" || !isChanged(step, unfinished);
  };
  return sums.map((line) => {
    const { step, ...rest } = line;
    return { ...rest, isCompared: isCompared(line) };
  });
}

/** The summary counts the other tables of dm, so what they wait for is missing from it, too. */
const isChanged = (step: string, unfinished: readonly string[]): boolean =>
  unfinished.includes(step) || (step === "load_dm_summary" && unfinished.length > 0);
