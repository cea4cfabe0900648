import type { StackConfig } from "../../components/config.ts";
import { generatorSettings } from "../../components/generator/settings.ts";
import { parseProjectConfig, parseSettings } from "../../components/project-config.ts";
import { stackNames } from "../../components/shared/names.ts";
import { CREATE_COMMAND, projectValues } from "./stack-file.ts";

/** Reads the stack's settings. @param config text to use instead of the stack's file @throws UserError */
export function localConfig(stack: string, config?: string): StackConfig {
  stackNames(stack, CREATE_COMMAND);
  return parseProjectConfig(projectValues(stack, config)).config;
}

/** Validates settings; secrets may be missing. @param text of the stack's file @throws UserError */
export function validateSettings(stack: string, text: string): void {
  stackNames(stack, CREATE_COMMAND);
  const { generator } = parseSettings(projectValues(stack, text)).config;
  if (generator) generatorSettings(generator.settings);
}
