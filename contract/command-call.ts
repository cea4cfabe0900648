import { existsSync } from "node:fs";
import { join } from "node:path";

/** Quotes a word for a shell. */
export const quote = (word: string): string =>
  /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Variable with the words that a user types before a command; `stack run` sets it. */
export const CALL_VARIABLE = "EVENT_PIPELINE_CALL";

/** Returns the value of `CALL_VARIABLE` for commands that run on a stack. */
export const callOnStack = (stack: string): string => `./pipeline stack run --stack ${stack} --`;

// A container's image has no Makefile, and has a package.json without scripts.
const IS_CLONE = existsSync(join(import.meta.dirname, "../Makefile"));

/** Path by which the user started the program, from the launcher `pipeline`. */
const PROGRAM_VARIABLE = "EVENT_PIPELINE_PROGRAM";
const ownCall = (): string =>
  IS_CLONE ? quote(process.env[PROGRAM_VARIABLE] ?? "./pipeline") : "pipeline";

/** True if the user typed the command in a clone, and not through the stack. */
export const isTypedInClone = (): boolean => IS_CLONE && process.env[CALL_VARIABLE] === undefined;

const COMMAND = /(?<![\w./:-]|\bthe )pipeline (?=(stack )?(?:[a-z]|--help\b))/g;

/** Replaces each `pipeline COMMAND` with a call that works where the user is. */
export const callable = (text: string): string =>
  text.replace(COMMAND, (_, stack?: string) => {
    const given = stack === undefined ? process.env[CALL_VARIABLE] : undefined;
    return `${given ?? ownCall()} `;
  });

/** Lists commands with what they do. */
export function commandList(rows: readonly (readonly [command: string, about: string])[]): string {
  const called = rows.map(([command, about]) => [callable(command), about] as const);
  const width = Math.max(...called.map(([command]) => command.length));
  return called.map(([command, about]) => `  ${command.padEnd(width)}  ${about}`).join("\n");
}
