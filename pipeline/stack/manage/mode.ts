import { parseStackConfig } from "../../../components/config.ts";
import { configBlocks, type Mode, readChoices, writeChoices, writeConfigFile } from "./choices.ts";
import { wasUp } from "./guarded.ts";

const configuredMode = (stack: string): Mode =>
  parseStackConfig(configBlocks(stack)).mode === "live" ? "living" : "bare";

/** Mode of this `up` and of later ones: the one asked for, else the one before. */
export function chooseMode(stack: string, asked: Mode | undefined): Mode {
  const choices = readChoices(stack);
  const mode = asked ?? choices.mode ?? (wasUp(stack) ? "bare" : configuredMode(stack));
  writeChoices(stack, { ...choices, mode });
  writeConfigFile(stack);
  return mode;
}

/** Whether scheduled loads keep up with the data. */
export const wasKeptFresh = (stack: string): boolean => readChoices(stack).mode === "living";
