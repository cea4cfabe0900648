import { execute } from "../../terminal/process.ts";
import { stateOf } from "./health-wait.ts";
import { serviceRows } from "./owned-resources.ts";

const LINES = "12";

export async function unhealthyLogs(stack: string): Promise<string> {
  const rows = await serviceRows(stack, ["{{.Names}}", "{{.Status}}"]);
  const unhealthy = rows.filter(([, , status]) => stateOf(status) !== "healthy");
  const texts = unhealthy.map(async ([role = "", name = "", status = ""]) => {
    const log = await execute("docker", ["logs", "--tail", LINES, name], { output: "capture" });
    return `${role} (${status}):\n${indent(log.stdout + log.stderr)}`;
  });
  return (await Promise.all(texts)).join("\n");
}

const indent = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
