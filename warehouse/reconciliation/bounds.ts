import type { Cut } from "./feed.ts";
import type { Bounds } from "./messages.ts";
import { mayHaveSentMore, type Source, sentBy } from "./source.ts";

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
  const bounds = new Map([...stored].map(([of, sources]) => [of, storedBounds(sources)]));
  if (!cut) return bounds;
  bounds.delete(epoch);
  if (sources.length + kept.length === 0) return bounds;
  return bounds.set(epoch, {
    least: sentBy([...cut.before.filter(hasState), ...kept]),
    most: kept.some(mayHaveSentMore) ? null : sentBy([...sources, ...kept]),
  });
}

const hasState = ({ lacksState }: Source): boolean => lacksState !== true;

function storedBounds(sources: readonly Source[]): Bounds {
  const least = sentBy(sources);
  return { least, most: sources.some(mayHaveSentMore) ? null : least };
}
