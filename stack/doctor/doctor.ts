import type { StackConfig } from "../../components/config.ts";
import { parseStackConfig } from "../../components/config-rules.ts";
import { callable } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import { formatNumber } from "../../terminal/format.ts";
import { configOf } from "../lifecycle/local-config.ts";
import { isPulumiInstalled } from "../lifecycle/pulumi-program.ts";
import { saltLine, shownFile, stackText } from "../lifecycle/stack-file.ts";
import { hasWrongSalt, isRecorded, openStack, resolveStackName } from "../lifecycle/workspace.ts";
import { type Finding, fail, ok, warn } from "./check.ts";
import { type EngineInfo, engineFindings, memoryFinding, readEngine } from "./engine.ts";
import { imageFindings } from "./images.ts";
import { portFindings } from "./ports.ts";

/** Checks the machine, then the stack, without a download. @param show is called with each part */
export async function examine(
  show: (findings: readonly Finding[]) => void,
  stack?: string,
): Promise<Finding[]> {
  const all: Finding[] = [];
  const add = (findings: readonly Finding[]): void => {
    all.push(...findings);
    show(findings);
  };
  const engine = await attempt("docker", readEngine, add);
  if (engine) add(engineFindings(engine));
  await attempt("pulumi", async () => add([pulumiFinding()]), add);
  if (!engine) return all;
  await attempt("stack", async () => add(await stackFindings(engine, stack)), add);
  return all;
}

/** Turns a user error into a finding. */
async function attempt<T>(
  check: string,
  work: () => Promise<T>,
  add: (findings: readonly Finding[]) => void,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    add([fail(check, error.message, error.hint ?? "correct it, then retry")]);
    return undefined;
  }
}

const pulumiFinding = (): Finding =>
  isPulumiInstalled()
    ? ok("pulumi", "the command line is installed")
    : warn("pulumi", "the command line is not downloaded yet", "run make up, which downloads it");

async function stackFindings(engine: EngineInfo, given: string | undefined): Promise<Finding[]> {
  const name = given || (isPulumiInstalled() ? await resolveStackName() : "dev");
  const isCreated = isPulumiInstalled() && (await isRecorded(name));
  const config = isCreated ? await configOf(await openStack(name)) : parseStackConfig({});
  return [
    isCreated
      ? await fileFinding(name)
      : ok("stack", `${name} does not exist yet; its ports are the defaults`),
    memoryFinding(name, config, engine),
    ...imageFindings(config),
    ...(await portFindings(name, config)),
  ];
}

/** Checks that the salt in the stack's file is of the passphrase that encrypted the state. */
async function fileFinding(name: string): Promise<Finding> {
  const file = shownFile(name);
  const text = stackText(name);
  return (await hasWrongSalt(await openStack(name), text))
    ? fail(
        "stack",
        `${file} has the salt of another passphrase than the state, so plain pulumi refuses the right one`,
        `remove this line from ${file}: ${saltLine(text)}`,
      )
    : ok("stack", `${name}, with the configuration ${file}`);
}

/** Checks the machine for a stack. @throws UserError */
export async function requireReady(stack: string, config: StackConfig): Promise<void> {
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
