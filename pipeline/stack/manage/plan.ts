import { existsSync, readFileSync } from "node:fs";
import { parseStackConfig } from "../config.ts";
import { stackNames } from "../names.ts";
import type { PlanContext } from "../plan/context.ts";
import { completeSecrets, resolveSecrets, secretVariable } from "../secrets.ts";
import { secretsFile } from "../state.ts";
import { configBlocks } from "./choices.ts";

/**
 * What the program would be given for this stack, read without Pulumi. Before the first start the
 * secrets are made up: nothing of a plan that is looked at depends on them.
 */
export function localContext(stack: string): PlanContext {
  const file = secretsFile(stack);
  const stored = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : completeSecrets({});
  return {
    names: stackNames(stack),
    config: parseStackConfig(configBlocks(stack)),
    secrets: resolveSecrets(
      [(name) => process.env[secretVariable(name)], (name) => stored[name]],
      stack,
    ),
    overrides: {},
  };
}
