import type { Database } from "../../contract/ports.ts";
import { totalOf } from "../../contract/statement.ts";
import { formatNumber } from "../../terminal/format.ts";
import { refuseHalfRestored } from "../batch/lease.ts";
import { databaseOf } from "../database/command.ts";
import { currentEpoch, noDataError } from "../sources/epoch.ts";
import { isUnfinishedLoad, mayHaveSentMore, type Source, sentBy } from "../sources/source.ts";
import { readAllSources } from "../sources/stored.ts";
import { perStream } from "../sql.ts";
import { type DefectsOf, scoreDefects } from "./defects.ts";
import { digests } from "./digests.ts";
import { erasureNotes } from "./erasures.ts";
import { expiryNotes, readExpiry } from "./expiry.ts";
import { type Cut, EpochChangedError, type SourceFeed } from "./feed.ts";
import { countOnlyCopies } from "./findings.ts";
import { importLines, importNotes, originOf } from "./imports.ts";
import { interruptedNotes, waitingForLoads } from "./interrupted-load.ts";
import { compareLayers } from "./layer-sums.ts";
import { type Bounds, findMessages, messageLines, storedOffsets } from "./messages.ts";
import { readProgress } from "./progress.ts";
import {
  differenceOf,
  type LostRow,
  type MessageLine,
  type Reconciliation,
  sum,
  verdictOf,
} from "./reconciliation.ts";
import { findWaiting, waitingForReader } from "./waiting-rows.ts";

/** Reconciles; a feed limits the current epoch to a cut. @throws UserError without data */
export async function prove(db: Database, feed?: SourceFeed): Promise<Reconciliation> {
  await refuseHalfRestored(db, "The reconciliation");
  const epoch = await currentEpoch(db);
  // Most statements of both use one core.
  const [compared, lines] = await Promise.all([compare(db, epoch, feed), digests(db)]);
  return { ...compared, digests: lines };
}

async function compare(
  db: Database,
  epoch: number,
  feed: SourceFeed | undefined,
): Promise<Omit<Reconciliation, "digests">> {
  const { cut, found, undelivered, stored, known, messages } = await readSent(db, epoch, feed);
  const progress = await readProgress(db);
  const waiting = [
    ...(cut ? [] : await waitingForReader(db)),
    ...waitingForLoads(db, epoch, [...known.sources, ...known.kept], messages),
    ...(await findWaiting(db, epoch, found, undelivered, progress)),
  ];
  const layers = [...importLines(stored), ...(await compareLayers(db, waiting, progress))];
  const isEmpty = layers.every(({ expected, found }) => expected + found === 0);
  if (isEmpty && messages.length + waiting.length === 0) throw noDataError(db);
  const expiry = await readExpiry(db);
  const unaccounted = sum(messages.map((line) => line.unaccounted)) + sum(layers.map(differenceOf));
  return {
    epoch,
    origin: originOf(stored),
    messages,
    waiting,
    layers,
    ...(await scoreSource(db, known, { epoch, messages, waiting }, cut, expiry !== undefined)),
    ...(await searchRows(db, unaccounted)),
    notes: [
      ...(await erasureNotes(db)),
      ...expiryNotes(db, expiry),
      ...(cut || db.directory !== undefined ? [] : [NO_BROKER]),
      ...importNotes(stored),
      ...replayNotes([...stored.values()].flat()),
      ...known.kept.map(({ name }) => keptNote(name)),
      ...openNotes(stored, messages),
      ...interruptedNotes(stored, epoch, messages),
    ],
    database: databaseOf(db),
    inFlight: sum(messages.map((line) => line.inFlight)),
    unaccounted,
    verdict: verdictOf(unaccounted, waiting, layers),
  };
}

async function readSent(db: Database, epoch: number, feed: SourceFeed | undefined) {
  if (feed && feed.epoch !== epoch) throw new EpochChangedError();
  const cut = await feed?.cut();
  const found = await findMessages(db, epoch, cut?.ends);
  const undelivered = (await cut?.undelivered(storedOffsets(found))) ?? [];
  const stored = await readAllSources(db);
  const known = knownSources(stored.get(epoch) ?? [], cut);
  const messages = messageLines(found, boundsOf(stored, epoch, known, cut), undelivered);
  if (feed && (await currentEpoch(db)) !== epoch) throw new EpochChangedError();
  return { cut, found, undelivered, stored, known, messages };
}

/** Scores the defects of one source: several sources may have injected the same defects. */
async function scoreSource(
  db: Database,
  { sources, kept }: KnownSources,
  scored: DefectsOf,
  cut: Cut | undefined,
  hasExpired: boolean,
): Promise<Pick<Reconciliation, "checksum" | "defects">> {
  const [source, ...more] = [...sources, ...kept].filter(({ kind }) => kind !== "replay");
  if (!source || more.length > 0) return { checksum: null, defects: [] };
  // Expired messages lack findings; those sent after the source was stored have some without an injected defect.
  const isWhole = !hasExpired && (cut !== undefined || !mayHaveSentMore(source));
  const injected = isWhole ? (source.defects ?? source.manifest?.defects) : undefined;
  return {
    checksum: source.manifest?.checksum ?? null,
    defects: injected ? await scoreDefects(db, scored, injected, cut?.ends) : [],
  };
}

/** Searches the rows of a difference, which costs more than counting. */
async function searchRows(
  db: Database,
  unaccounted: number,
): Promise<Pick<Reconciliation, "lost" | "onlyCopies">> {
  if (unaccounted === 0) return { lost: [], onlyCopies: 0 };
  return {
    lost: await perStream<LostRow>(db, "lost_messages"),
    onlyCopies: await countOnlyCopies(db),
  };
}

const NO_BROKER =
  "Not compared with a broker: messages in its topics that are not in stg do not show.";

/** Notes epochs whose last state is lost, e.g. of a generator restarted with a new state. */
function openNotes(
  stored: ReadonlyMap<number, readonly Source[]>,
  messages: readonly MessageLine[],
): string[] {
  // An interrupted load has a separate note.
  const isOpen = (source: Source) => mayHaveSentMore(source) && !isUnfinishedLoad(source);
  const epochs = new Set(messages.filter((line) => line.isLowerBound).map(({ epoch }) => epoch));
  return [...epochs]
    .filter((epoch) => stored.get(epoch)?.some(isOpen))
    .map(
      (epoch) =>
        `A source of epoch ${epoch} may have sent more than it reported. A loss among those messages is not detectable.`,
    );
}

function replayNotes(sources: readonly Source[]): string[] {
  const repaired = totalOf(sentBy(sources.filter(({ kind }) => kind === "replay")));
  if (repaired === 0) return [];
  return [
    `${formatNumber(repaired, "rejected message")} repaired: each also counts as the message that replaces it.`,
  ];
}

const keptNote = (name: string): string =>
  `The broker has lost the record of "${name}": its stored message count is a minimum.`;

export interface KnownSources {
  readonly sources: readonly Source[];
  /** Stored sources whose record or state the broker lacks. */
  readonly kept: readonly Source[];
}

/** Joins sources of broker and database; a stored source that the broker lost still counts. */
export function knownSources(stored: readonly Source[], cut: Cut | undefined): KnownSources {
  if (!cut) return { sources: stored, kept: [] };
  const sources = cut.after.filter(hasState);
  const known = new Set(sources.map(({ name }) => name));
  const kept = stored.filter(({ name }) => !known.has(name));
  const keptNames = new Set(kept.map(({ name }) => name));
  const lost = cut.after.filter((source) => !hasState(source) && !keptNames.has(source.name));
  return { sources, kept: [...kept, ...lost] };
}

export function boundsOf(
  stored: ReadonlyMap<number, readonly Source[]>,
  epoch: number,
  { sources, kept }: KnownSources,
  cut: Cut | undefined,
): Map<number, Bounds> {
  const bounds = new Map(
    [...stored].flatMap(([of, all]) => (hasOrigin(all) ? [[of, storedBounds(all)]] : [])),
  );
  if (!cut) return bounds;
  bounds.delete(epoch);
  if (!hasOrigin([...sources, ...kept])) return bounds;
  return bounds.set(epoch, {
    least: sentBy([...cut.before.filter(hasState), ...kept]),
    most: kept.some(mayHaveSentMore) ? null : sentBy([...sources, ...kept]),
  });
}

/** False if other programs sent the messages, of which repairs are only some. */
const hasOrigin = (sources: readonly Source[]): boolean =>
  sources.some(({ kind }) => kind !== "replay");

const hasState = ({ lacksState }: Source): boolean => lacksState !== true;

function storedBounds(sources: readonly Source[]): Bounds {
  const least = sentBy(sources);
  return { least, most: sources.some(mayHaveSentMore) ? null : least };
}
