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

/** Path by which the user started the program, from the launcher `pipeline`, or `make`. */
const PROGRAM_VARIABLE = "EVENT_PIPELINE_PROGRAM";
const isMake = (): boolean => process.env[PROGRAM_VARIABLE] === "make";
const ownCall = (): string => {
  if (!IS_CLONE) return "pipeline";
  return isMake() ? "./pipeline" : quote(process.env[PROGRAM_VARIABLE] ?? "./pipeline");
};

/** True if the user typed the command in a clone, and not through the stack. */
export const isTypedInClone = (): boolean => IS_CLONE && process.env[CALL_VARIABLE] === undefined;

const COMMAND = /(?<![\w./:-]|\bthe )pipeline (?=(stack )?(?:[a-z]|--help\b))/g;

/** Commands with a make target, longer ones first. A target has no variable for further options. */
const TARGETS: readonly (readonly [command: RegExp, target: string])[] = [
  [/demo --days (\d+) --seed (\d+) --rate (\d+)/, "demo DAYS=$1 SEED=$2 RATE=$3"],
  [/demo/, "demo"],
  [/serve/, "play"],
  [/doctor/, "doctor"],
  [/lab list/, "lab"],
  [/lab start (\d+)/, "lab N=$1"],
  [/lab hint (\d+) --hint (\d+)/, "lab-hint N=$1 HINT=$2"],
  [/lab hint (\d+)/, "lab-hint N=$1"],
  [/lab check (\d+) (\S+\.sql)/, "lab-check N=$1 FILE=$2"],
  [/lab check (\d+) NUMBER/, "lab-check N=$1 ANSWER=NUMBER"],
  [/lab check (\d+)/, "lab-check N=$1"],
  [/scenario ([a-z][a-z-]*) --answers/, "scenario NAME=$1 ANSWERS=1"],
  [/scenario ([a-z][a-z-]*)/, "scenario NAME=$1"],
];

const whole = ({ source }: RegExp): RegExp =>
  new RegExp(`(?<![\\w./:-]|\\bthe )pipeline ${source}(?![\\w-]| --?\\w)`, "g");

const withTargets = (text: string): string =>
  TARGETS.reduce(
    (result, [command, target]) => result.replace(whole(command), `make ${target}`),
    text,
  );

/** Replaces each `pipeline COMMAND` with a call that works in a clone: a make target for its users. */
export const callable = (text: string): string =>
  (isMake() ? withTargets(text) : text).replace(COMMAND, (_, stack?: string) => {
    const given = stack === undefined ? process.env[CALL_VARIABLE] : undefined;
    return `${given ?? ownCall()} `;
  });

/** Lists commands with what they do. */
export function commandList(rows: readonly (readonly [command: string, about: string])[]): string {
  const called = rows.map(([command, about]) => [callable(command), about] as const);
  const width = Math.max(...called.map(([command]) => command.length));
  return called.map(([command, about]) => `  ${command.padEnd(width)}  ${about}`).join("\n");
}
