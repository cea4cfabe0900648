/** The shell that takes our texts: it ends at the first command that fails. The text comes last. */
export const SHELL: readonly [string, ...string[]] = ["/bin/bash", "-euo", "pipefail", "-c"];

/** What the shell takes for doing nothing. */
export const NOTHING = ":";

/** Variables as `name=value`. */
export const variables = (environment: Readonly<Record<string, string>>): string[] =>
  Object.entries(environment).map(([name, value]) => `${name}=${value}`);

/** A word as the shell takes it for one. */
export const quote = (word: string): string =>
  /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
