import { parseStackConfig } from "../../components/config.ts";
import { isSecretName } from "../../components/secrets.ts";
import type { PlanContext } from "../../components/shared/context.ts";
import { stackNames } from "../../components/shared/names.ts";
import { configBlocks, encryptedKeys } from "./stack-file.ts";

/**
 * Context of the program for this stack, read without Pulumi and without the values of secrets, which
 * a plan does not need.
 */
export const localContext = (stack: string): PlanContext => ({
  names: stackNames(stack),
  config: parseStackConfig(configBlocks(stack)),
  configured: new Set(encryptedKeys(stack).filter(isSecretName)),
  overrides: {},
});
