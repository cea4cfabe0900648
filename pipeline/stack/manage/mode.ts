import { parseStackConfig } from "../config.ts";
import { configBlocks, type Mode, readChoices, writeChoices, writeConfigFile } from "./choices.ts";
import { wasUp } from "./guarded.ts";

/**
 * How a new stack starts when nobody says otherwise. A broker or a database of the user's own gets
 * no history that nobody asked for.
 */
function defaultMode(stack: string): Mode {
  const { broker, database } = parseStackConfig(configBlocks(stack));
  return [broker, database].every(({ mode }) => mode === "container") ? "living" : "bare";
}

/**
 * Mode of this `up`: the one asked for, else the one the stack was started in. The first start that
 * succeeds decides where its data come from; one from before there were modes has none but its own.
 * A bare one that was asked to live does so until it is asked to be bare.
 */
export function chooseMode(stack: string, asked: Mode | undefined): Mode {
  const choices = readChoices(stack);
  if (choices.mode !== undefined && wasUp(stack)) {
    if (asked !== "bare") return asked ?? (choices.isKeptFresh ? "living" : choices.mode);
    const { isKeptFresh: _, ...resting } = choices;
    writeChoices(stack, resting);
    return asked;
  }
  const mode = wasUp(stack) ? "bare" : (asked ?? choices.mode ?? defaultMode(stack));
  writeChoices(stack, { ...choices, mode });
  writeConfigFile(stack);
  return asked ?? mode;
}

/** Whether scheduled loads have kept up with the data so far. */
export function wasKeptFresh(stack: string): boolean {
  const { mode, isKeptFresh } = readChoices(stack);
  return mode === "living" || isKeptFresh === true;
}

/** From now on scheduled loads keep the stack fresh. */
export function rememberLife(stack: string): void {
  const choices = readChoices(stack);
  if (choices.mode === "bare") writeChoices(stack, { ...choices, isKeptFresh: true });
}
