import { parseProjectConfig, parseSettings } from "../../components/project-config.ts";
import { type PlanContext, planStack, type StackPlan } from "../../components/services.ts";
import { stackNames } from "../../components/shared/names.ts";
import { UserError } from "../../contract/errors.ts";
import { CREATE_COMMAND, initFirst } from "../make-hints.ts";
import { hasFile, originOf, projectValues, shownFile } from "./stack-file.ts";

/** Plans the stack from its file, without Pulumi and without values of secrets. */
export const localContext = (stack: string, config?: string): PlanContext =>
  withMakeHint(stack, () => contextOf(stack, config));

/** Reads the context of a plan. @param config text to use instead of the stack's file */
export const localPlan = (stack: string, config?: string): StackPlan =>
  withMakeHint(stack, () => planStack(contextOf(stack, config)));

/** Validates settings; secrets may be missing. @param config text of the file @throws UserError */
export const validateSettings = (stack: string, config: string): void => {
  // A new stack has no file yet, and `make init` would refuse the settings, too.
  const hint = hasFile(stack)
    ? undefined
    : `correct ${originOf(config) ?? "the options"}, then retry`;
  withMakeHint(stack, () => planStack(contextOf(stack, config, parseSettings)), hint);
};

const contextOf = (
  stack: string,
  config: string | undefined,
  parse = parseProjectConfig,
): PlanContext => ({
  names: stackNames(stack, CREATE_COMMAND),
  ...parse(projectValues(stack, config)),
  overrides: {},
});

/** Adapts hints of the program, which are for plain `pulumi`. @param other hint to use instead */
function withMakeHint<T>(stack: string, work: () => T, other?: string): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError) || !error.hint?.includes("pulumi config")) throw error;
    const hint = error.hint.replace("Pulumi.<stack>.yaml", shownFile(stack));
    throw new UserError(
      error.message,
      other ?? `${initFirst(stack)}run eval "$(make -s env STACK=${stack})", then ${hint}`,
    );
  }
}
