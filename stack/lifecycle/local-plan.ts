import { parseProjectConfig } from "../../components/project-config.ts";
import type { PlanContext } from "../../components/shared/context.ts";
import { stackNames } from "../../components/shared/names.ts";
import { projectValues } from "./stack-file.ts";

/**
 * Context of the program for this stack, read without Pulumi and without the values of secrets, which
 * a plan does not need.
 */
export const localContext = (stack: string): PlanContext => ({
  names: stackNames(stack),
  ...parseProjectConfig(projectValues(stack)),
  overrides: {},
});
