import { STREAMS } from "../../contract/streams.ts";
import type { Cut } from "./feed.ts";
import { sentBy } from "./source.ts";

/** A live generator commits about once a second, and reading takes some tens of milliseconds. */
const ATTEMPTS = 20;

/**
 * Reads the ends of the topics between two readings of the sources. Messages and their source's record
 * are committed together: where the two readings are equal, the ends belong to them exactly. Where every
 * attempt meets a commit, the last one is taken.
 */
export async function cutBetween<E>(
  readSources: () => Promise<Cut["before"]>,
  readEnds: () => Promise<E>,
  attempts = ATTEMPTS,
): Promise<Pick<Cut, "before" | "after"> & { readonly ends: E }> {
  let before = await readSources();
  for (let left = attempts - 1; ; left--) {
    const ends = await readEnds();
    const after = await readSources();
    if (left <= 0 || isSame(before, after)) return { before, after, ends };
    before = after;
  }
}

function isSame(before: Cut["before"], after: Cut["after"]): boolean {
  const [one, other] = [sentBy(before).counts, sentBy(after).counts];
  return STREAMS.every((stream) => one[stream] === other[stream]);
}
