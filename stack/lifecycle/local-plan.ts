import { parseProjectConfig } from "../../components/project-config.ts";
import { planStack, type StackPlan } from "../../components/services.ts";
import type { PlanContext } from "../../components/shared/context.ts";
import { stackNames } from "../../components/shared/names.ts";
import { UserError } from "../../contract/errors.ts";
import { CREATE_COMMAND } from "../make-hints.ts";
import { projectValues } from "./stack-file.ts";

/** Read without Pulumi and without the values of secrets. */
export const localContext = (stack: string): PlanContext =>
  withMakeHint(stack, () => contextOf(stack));

export const localPlan = (stack: string): StackPlan =>
  withMakeHint(stack, () => planStack(contextOf(stack)));

const contextOf = (stack: string): PlanContext => ({
  names: stackNames(stack, CREATE_COMMAND),
  ...parseProjectConfig(projectValues(stack)),
  overrides: {},
});

/** The program's hints are for plain `pulumi`. */
function withMakeHint<T>(stack: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError) || !error.hint?.includes("pulumi config")) throw error;
    throw new UserError(error.message, `eval "$(make -s env STACK=${stack})", then ${error.hint}`);
  }
}
