import { UserError } from "../../contract/errors.ts";
import { localPlan } from "../lifecycle/local-plan.ts";
import { attempt, type DoctorContext, type Finding } from "./check.ts";
import { engineFindings, imageFindings } from "./engine.ts";
import { leftoverFindings } from "./leftovers.ts";
import { machineFindings } from "./machine.ts";
import { portFindings } from "./ports.ts";
import { renderFindings, withoutRepetition } from "./report.ts";
import { runningFindings } from "./running.ts";
import { toolFindings } from "./tools.ts";

type Check = (context: DoctorContext) => Promise<Finding[]>;

const contextOf = (stack: string): DoctorContext => ({
  stack,
  plan: localPlan(stack),
});

export async function examine(stack: string): Promise<Finding[]> {
  const context = contextOf(stack);
  const checks = [toolFindings, engineFindings, portFindings, leftoverFindings];
  return withoutRepetition([
    ...machineFindings(),
    ...imageFindings(context),
    ...(await all(checks, context)),
    // Runs after the others, because portFindings opens the ports that it connects to.
    ...(await all([runningFindings], context)),
  ]);
}

/** @throws UserError with every failure, and the hint of the first */
export async function requireReady(stack: string): Promise<void> {
  const findings = withoutRepetition(await all([engineFindings, portFindings], contextOf(stack)));
  const warnings = findings.filter(({ status }) => status === "warn");
  if (warnings.length > 0) console.error(renderFindings(warnings));
  const failures = findings.filter(({ status }) => status === "fail");
  if (failures.length === 0) return;
  throw new UserError(
    `The stack cannot start:\n${failures.map((one) => `  ${one.check}: ${one.detail}`).join("\n")}`,
    failures[0]?.hint,
  );
}

/** Reports in this order, because one finding often explains the next. */
async function all(checks: readonly Check[], context: DoctorContext): Promise<Finding[]> {
  const attempts = checks.map((check) => attempt("docker", () => check(context)));
  return (await Promise.all(attempts)).flat();
}
