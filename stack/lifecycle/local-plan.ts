import { parseStackConfig } from "../../components/config.ts";
import { isSecretName } from "../../components/secrets.ts";
import type { PlanContext } from "../../components/shared/context.ts";
import { stackNames } from "../../components/shared/names.ts";
import { configBlocks, encryptedKeys } from "./stack-file.ts";

/**
 * What the program would be given for this stack, read without Pulumi: nothing of a plan that is
 * looked at depends on the values of secrets.
 */
export const localContext = (stack: string): PlanContext => ({
  names: stackNames(stack),
  config: parseStackConfig(configBlocks(stack)),
  configured: new Set(encryptedKeys(stack).filter(isSecretName)),
  overrides: {},
});
