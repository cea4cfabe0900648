import { planStack } from "../../components/services.ts";
import { UserError } from "../../contract/errors.ts";
import { localContext } from "../lifecycle/local-plan.ts";
import { attempt, type Finding, type Patient } from "./check.ts";
import { engineFindings, imageFindings } from "./engine.ts";
import { leftoverFindings } from "./leftovers.ts";
import { machineFindings } from "./machine.ts";
import { portFindings } from "./ports.ts";
import { runningFindings } from "./running.ts";
import { toolFindings } from "./tools.ts";

type Check = (patient: Patient) => Promise<Finding[]>;

const patientOf = (stack: string): Patient => ({
  stack,
  plan: planStack(localContext(stack)),
});

/** Everything that can stand between a user and a healthy stack. */
export async function examine(stack: string): Promise<Finding[]> {
  const patient = patientOf(stack);
  const checks = [toolFindings, engineFindings, portFindings, leftoverFindings];
  return [
    ...machineFindings(),
    ...imageFindings(patient),
    ...(await all(checks, patient)),
    // Not at once with the others: it connects to ports that one of them opens for a moment.
    ...(await all([runningFindings], patient)),
  ];
}

/**
 * The short form before a start: what would make it fail for certain refuses it, what may is said.
 * @throws UserError with every failure, and the fix of the first
 */
export async function requireReady(stack: string): Promise<void> {
  const findings = await all([engineFindings, portFindings], patientOf(stack));
  const warnings = findings.filter(({ status }) => status === "warn");
  if (warnings.length > 0) console.error(renderFindings(warnings));
  const failures = findings.filter(({ status }) => status === "fail");
  if (failures.length === 0) return;
  throw new UserError(
    `The stack cannot start:\n${failures.map((one) => `  ${one.check}: ${one.detail}`).join("\n")}`,
    failures[0]?.hint,
  );
}

/** Asked at once, told in this order: what one check finds often explains the next. */
async function all(checks: readonly Check[], patient: Patient): Promise<Finding[]> {
  const attempts = checks.map((check) => attempt("docker", () => check(patient)));
  return (await Promise.all(attempts)).flat();
}

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

export const renderFindings = (findings: readonly Finding[]): string =>
  findings
    .map(({ check, status, detail, hint }) => {
      const line = `${MARKS[status]}  ${check.padEnd(11)} ${detail}`;
      return hint ? `${line}\n        hint: ${hint}` : line;
    })
    .join("\n");
