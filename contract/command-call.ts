import { existsSync } from "node:fs";
import { join } from "node:path";

/** Variable with the words that a user types before a command; `stack run` sets it. */
export const CALL_VARIABLE = "EVENT_PIPELINE_CALL";

/** Returns the value of `CALL_VARIABLE` for commands that run on a stack. */
export const callOnStack = (stack: string): string =>
  `npm run pipeline -- stack run --stack ${stack} --`;

// A container's image has no Makefile, and has a package.json without scripts.
const IS_CLONE = existsSync(join(import.meta.dirname, "../Makefile"));
const OWN_CALL = IS_CLONE ? "npm run pipeline --" : "pipeline";

/** True if the user typed the command in a clone, and not through the stack. */
export const isTypedInClone = (): boolean => IS_CLONE && process.env[CALL_VARIABLE] === undefined;

const COMMAND = /(?<![\w./:-]|\bthe )pipeline (?=(stack )?(?:[a-z]|--help\b))/g;

/** Replaces each `pipeline COMMAND` with a call that works in a clone. */
export const callable = (text: string): string =>
  text.replace(COMMAND, (_, stack?: string) => {
    const given = stack === undefined ? process.env[CALL_VARIABLE] : undefined;
    return `${given ?? OWN_CALL} `;
  });
