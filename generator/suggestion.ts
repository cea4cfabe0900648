export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates.map((candidate) => ({ candidate, share: likeness(word, candidate) }));
  return ranked.sort((a, b) => b.share - a.share)[0]?.candidate;
}

/** Minimum share of common letters for a suggestion. */
const MIN_LIKENESS = 0.6;

/** Returns `; did you mean X?` or "". @param prefix common to all candidates */
export function didYouMean(word: string, candidates: readonly string[], prefix = ""): string {
  const best = nearest(word, candidates);
  const bare = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const isLike = best !== undefined && likeness(bare(word), bare(best)) >= MIN_LIKENESS;
  return isLike ? `; did you mean ${best}?` : "";
}

const likeness = (a: string, b: string): number =>
  (2 * commonLetters(a, b)) / (a.length + b.length);

function commonLetters(a: string, b: string): number {
  let row: number[] = Array(b.length + 1).fill(0);
  for (const letter of a) {
    const above = row;
    row = [0];
    for (let j = 1; j <= b.length; j += 1) {
      const longer = Math.max(above[j] ?? 0, row[j - 1] ?? 0);
      row.push(letter === b[j - 1] ? (above[j - 1] ?? 0) + 1 : longer);
    }
  }
  return row.at(-1) ?? 0;
}
