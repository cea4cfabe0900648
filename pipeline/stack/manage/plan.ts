import { parseStackConfig } from "../../../components/config.ts";
import type { PlanContext } from "../../../components/shared/context.ts";
import { stackNames } from "../names.ts";
import { configBlocks, configuredSecrets } from "./choices.ts";

/**
 * What the program would be given for this stack, read without Pulumi: nothing of a plan that is
 * looked at depends on the values of secrets.
 */
export function localContext(stack: string): PlanContext {
  return {
    names: stackNames(stack),
    config: parseStackConfig(configBlocks(stack)),
    configured: configuredSecrets(stack),
    overrides: {},
  };
}
