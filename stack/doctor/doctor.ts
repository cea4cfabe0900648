import { UserError } from "../../contract/errors.ts";
import { localConfig } from "../lifecycle/local-config.ts";
import { attempt, type DoctorContext, type Finding } from "./check.ts";
import { engineFindings, imageFindings } from "./engine.ts";
import { leftoverFindings } from "./leftovers.ts";
import { machineFindings } from "./machine.ts";
import { portFindings } from "./ports.ts";
import { renderFindings, withoutRepetition } from "./report.ts";
import { runningFindings } from "./running-services.ts";
import { toolFindings } from "./tools.ts";

type Check = (context: DoctorContext) => Promise<Finding[]>;

const contextOf = (stack: string, config?: string): DoctorContext => ({
  stack,
  config: localConfig(stack, config),
});

export async function examine(stack: string): Promise<Finding[]> {
  const context = contextOf(stack);
  const checks = [toolFindings, engineFindings, portFindings, leftoverFindings, runningFindings];
  return withoutRepetition([
    ...machineFindings(),
    ...imageFindings(context),
    ...(await all(checks, context)),
  ]);
}

/** Checks the machine. @param config text to use instead of the stack's file @throws UserError */
export async function requireReady(stack: string, config?: string): Promise<void> {
  const context = contextOf(stack, config);
  const findings = withoutRepetition(await all([engineFindings, portFindings], context));
  const warnings = findings.filter(({ status }) => status === "warn");
  if (warnings.length > 0) console.error(renderFindings(warnings));
  const failures = findings.filter(({ status }) => status === "fail");
  if (failures.length === 0) return;
  throw new UserError(
    `The stack cannot start:\n${failures.map((one) => `  ${one.check}: ${one.detail}`).join("\n")}`,
    failures[0]?.hint,
  );
}

/** Checks in the order of the report, because one finding often explains the next. */
async function all(checks: readonly Check[], context: DoctorContext): Promise<Finding[]> {
  const attempts = checks.map((check) => attempt("docker", () => check(context)));
  return (await Promise.all(attempts)).flat();
}
