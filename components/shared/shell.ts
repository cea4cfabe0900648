/** Interpreter; the shell text is its last argument. */
export const SHELL: readonly [string, ...string[]] = ["/bin/bash", "-euo", "pipefail", "-c"];

export const NO_OP_COMMAND = ":";

export const variables = (environment: Readonly<Record<string, string>>): string[] =>
  Object.entries(environment).map(([name, value]) => `${name}=${value}`);

export const quote = (word: string): string =>
  /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
