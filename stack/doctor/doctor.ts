import { callable } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import { formatNumber } from "../../terminal/format.ts";
import { localConfig } from "../lifecycle/local-config.ts";
import { resolveStackName } from "../lifecycle/workspace.ts";
import { type Finding, fail } from "./check.ts";
import { engineFindings, memoryFinding, readEngine } from "./engine.ts";
import { portFindings } from "./ports.ts";

/** Checks the machine, then the stack. @param show is called before Pulumi, which may be downloaded, and at the end */
export async function examine(
  show: (findings: readonly Finding[]) => void,
  stack?: string,
): Promise<Finding[]> {
  const all: Finding[] = [];
  const add = (findings: readonly Finding[]): void => {
    all.push(...findings);
    show(findings);
  };
  let check = "docker";
  try {
    const engine = await readEngine();
    add(engineFindings(engine));
    check = "pulumi";
    const name = await resolveStackName(stack);
    check = "stack";
    const config = localConfig(name);
    add([memoryFinding(name, config, engine), ...(await portFindings(name, config))]);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    add([fail(check, error.message, error.hint ?? "correct it, then retry")]);
  }
  return all;
}

/** Checks the machine. @param text to use instead of the stack's file @throws UserError */
export async function requireReady(stack: string, text?: string): Promise<void> {
  const config = localConfig(stack, text);
  const engine = await readEngine();
  const ports = await portFindings(stack, config);
  const findings = [...engineFindings(engine), memoryFinding(stack, config, engine), ...ports];
  const warnings = findings.filter(({ status }) => status === "warn");
  if (warnings.length > 0) console.error(renderFindings(warnings));
  const failures = findings.filter(({ status }) => status === "fail");
  if (failures.length === 0) return;
  throw new UserError(
    `The stack cannot start:\n${failures.map((one) => `  ${one.check}: ${one.detail}`).join("\n")}`,
    failures[0]?.hint,
  );
}

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

export const renderFindings = (findings: readonly Finding[]): string =>
  findings
    .map(({ check, status, detail, hint }) => {
      const line = `${MARKS[status]}  ${check.padEnd(11)} ${detail}`;
      return hint ? `${line}\n        hint: ${hint}` : line;
    })
    .join("\n");

export function renderSummary(findings: readonly Finding[]): string {
  const count = (status: Finding["status"]): number =>
    findings.filter((one) => one.status === status).length;
  const [problems, warnings] = [count("fail"), count("warn")];
  const notes = warnings === 0 ? "" : `, ${formatNumber(warnings, "warning")}`;
  if (problems === 0) return `No problems${notes}.`;
  const demo = findings.some(({ check, status }) => check === "docker" && status === "fail");
  return `${formatNumber(problems, "problem")} to fix before make up${notes}.${demo ? callable(" pipeline demo works without Docker.") : ""}`;
}
