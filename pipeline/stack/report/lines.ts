/** One line of a text comparison. */
export interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Lines that go, come and stay: the longest common subsequence stays. */
export function diffLines(before: string, after: string): Line[] {
  const a = before.split("\n");
  const b = after.split("\n");
  const common = commonLengths(a, b);
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: " ", text: a[i] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push({ mark: "-", text: a[i] ?? "" });
      i += 1;
    } else {
      lines.push({ mark: "+", text: b[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}

/** `[i][j]`: common lines of what is left of `a` from i and of `b` from j. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = table[i] ?? [];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] =
        a[i] === b[j]
          ? at(table, i + 1, j + 1) + 1
          : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}

const at = (table: readonly number[][], i: number, j: number): number => table[i]?.[j] ?? 0;

/** Changed lines with this many unchanged ones around them; a gap is one line `…`. */
export function hunks(lines: readonly Line[], context = 2): string[] {
  const near = (index: number): boolean =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ mark }) => mark !== " ");
  return lines.flatMap((line, index) => {
    if (near(index)) return [`${line.mark} ${line.text}`];
    return index === 0 || near(index - 1) ? ["  …"] : [];
  });
}
