import type { StackConfig } from "../../components/config.ts";
import { generatorSettings } from "../../components/generator/settings.ts";
import {
  type ProjectConfig,
  parseProjectConfig,
  parseSettings,
} from "../../components/project-config.ts";
import { stackNames } from "../../components/shared/names.ts";
import { UserError } from "../../contract/errors.ts";
import {
  CREATE_COMMAND,
  hasFile,
  initFirst,
  projectValues,
  shownFile,
  shownSource,
} from "./stack-file.ts";

/** Reads the stack's settings. @param config text to use instead of the stack's file @throws UserError */
export const localConfig = (stack: string, config?: string): StackConfig =>
  projectConfig(stack, config).config;

/** Reads the stack's settings and the names of configured secrets. @throws UserError */
export const projectConfig = (stack: string, config?: string): ProjectConfig =>
  withMakeHint(stack, () => read(stack, config));

function read(stack: string, config?: string, parse = parseProjectConfig): ProjectConfig {
  stackNames(stack, CREATE_COMMAND);
  return parse(projectValues(stack, config));
}

/**
 * Validates settings; secrets may be missing. @param text of the stack's file
 * @param config that a new stack copies @throws UserError
 */
export function validateSettings(stack: string, text: string, config?: string): void {
  const source = config === undefined ? "the options" : shownSource(config);
  const validate = (): void => {
    const { generator } = read(stack, text, parseSettings).config;
    if (generator) generatorSettings(generator.settings);
  };
  // A new stack has no file yet, and `make init` would refuse the settings, too.
  withMakeHint(stack, validate, hasFile(stack) ? undefined : `correct ${source}, then retry`);
}

const PASSPHRASE = "export PULUMI_CONFIG_PASSPHRASE_FILE=.state/passphrase";

/** Adapts hints of the program, which are for plain `pulumi`. @param other hint to use instead */
function withMakeHint<T>(stack: string, work: () => T, other?: string): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError) || !error.hint?.includes("pulumi config")) throw error;
    const hint = error.hint
      .replace("Pulumi.<stack>.yaml", shownFile(stack))
      .replaceAll("pulumi config", `npx pulumi config --stack ${stack}`);
    const passphrase = hint.includes("--secret") ? `run ${PASSPHRASE}, then ` : "";
    throw new UserError(error.message, other ?? `${initFirst(stack)}${passphrase}${hint}`);
  }
}
