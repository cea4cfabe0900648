/** The candidate most like `word`: the one that shares the longest part of its letters with it. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const likeness = (candidate: string) =>
    (2 * commonLetters(word, candidate)) / (word.length + candidate.length);
  const ranked = candidates.map((candidate) => ({ candidate, likeness: likeness(candidate) }));
  return ranked.sort((a, b) => b.likeness - a.likeness)[0]?.candidate;
}

/** Length of the longest common subsequence. */
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
