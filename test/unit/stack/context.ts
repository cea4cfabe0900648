import { parseStackConfig } from "../../../pipeline/stack/config.ts";
import { stackNames } from "../../../pipeline/stack/names.ts";
import type { PlanContext } from "../../../pipeline/stack/plan/context.ts";
import { testSecrets } from "./record.ts";

/** What a planner is given, with only the interesting part said. */
export const planContext = (
  config: Readonly<Record<string, unknown>> = {},
  overrides: PlanContext["overrides"] = {},
  stack = "dev",
): PlanContext => ({
  names: stackNames(stack),
  config: parseStackConfig(config),
  secrets: testSecrets,
  overrides,
});
