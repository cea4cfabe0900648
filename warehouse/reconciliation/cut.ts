import { STREAMS } from "../../contract/streams.ts";
import type { Cut } from "./feed.ts";
import { sentBy } from "./source.ts";

const ATTEMPTS = 20;

/** Reads topic ends between two readings of the sources: equal readings prove exact ends. */
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
