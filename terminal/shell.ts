/** Quotes a word for a shell. */
export const quote = (word: string): string =>
  /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
