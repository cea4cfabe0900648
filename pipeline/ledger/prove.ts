import type { Database } from "../../contract/ports.ts";
import { readQuery } from "../sql.ts";
import { boundsOf, knownSources } from "./bounds.ts";
import { type DefectsOf, scoreDefects } from "./defects.ts";
import { digests } from "./digests.ts";
import { currentEpoch, EpochChangedError, nothingToAccountFor, type SourceFeed } from "./feed.ts";
import { countOnlyCopies } from "./findings.ts";
import { interruptedNotes, waitingForLoads } from "./interrupted.ts";
import {
  differenceOf,
  type LayerLine,
  type Ledger,
  type LostRow,
  sum,
  verdictOf,
  type WaitingLine,
} from "./ledger.ts";
import { findMessages, messageLines, storedOffsets } from "./messages.ts";
import { perStream } from "./per-stream.ts";
import { dmSteps, type Progress, readProgress } from "./progress.ts";
import { readAllSources } from "./source.ts";
import { findWaiting } from "./waiting.ts";

export { currentEpoch } from "./feed.ts";

/**
 * Accounts for every message of all epochs, from what its source says it sent to dm. With a feed, of the
 * current epoch up to a cut: what came later does not count.
 * @throws UserError when there is no data to account for
 */
export async function prove(db: Database, feed?: SourceFeed): Promise<Ledger> {
  const epoch = await currentEpoch(db);
  if (feed && feed.epoch !== epoch) throw new EpochChangedError();
  const cut = await feed?.cut();
  const found = await findMessages(db, epoch, cut?.ends);
  const undelivered = (await cut?.undelivered(storedOffsets(found))) ?? [];
  const stored = await readAllSources(db);
  const messages = messageLines(found, boundsOf(stored, epoch, cut), undelivered);
  if (feed && (await currentEpoch(db)) !== epoch) throw new EpochChangedError();
  const progress = await readProgress(db);
  const { sources, kept } = knownSources(stored.get(epoch) ?? [], cut);
  const waiting = [
    ...waitingForLoads(db, epoch, [...sources, ...kept], messages),
    ...(await findWaiting(db, epoch, found, undelivered, progress)),
  ];
  const layers = await compareLayers(db, waiting, progress);
  const isEmpty = layers.every(({ expected, found }) => expected + found === 0);
  if (isEmpty && messages.length + waiting.length === 0) throw nothingToAccountFor();
  const unaccounted = sum(messages.map((line) => line.unaccounted)) + sum(layers.map(differenceOf));
  const [source, ...more] = [...sources, ...kept];
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
    notes: [
      ...(cut || db.kind === "embedded" ? [] : [NO_BROKER]),
      ...kept.map(({ name }) => keptNote(name)),
      ...interruptedNotes(stored, epoch, messages),
    ],
    directory: db.kind === "embedded" ? (db.directory ?? "DIR") : null,
    inFlight: sum(messages.map((line) => line.inFlight)),
    unaccounted,
    verdict: verdictOf(unaccounted, waiting, layers),
  };
}

const NO_BROKER =
  "Not compared with a broker: messages in its topics that are not in stg do not show.";

const keptNote = (name: string): string =>
  `The broker has lost the record of "${name}": what the database stored of it is the least it sent.`;

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
