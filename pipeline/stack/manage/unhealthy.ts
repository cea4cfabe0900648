import { LABELS } from "../names.ts";
import { docker } from "./docker.ts";
import { execute } from "./process.ts";

const LINES = "12";

/** Ends of the logs of the services that are not well: why a start failed stands there. */
export async function unhealthyLogs(stack: string): Promise<string> {
  const filter = [
    "--filter",
    `label=${LABELS.project}=${stack}`,
    "--filter",
    `label=${LABELS.role}`,
  ];
  const format = `{{.Label "${LABELS.role}"}}\t{{.Names}}\t{{.Status}}`;
  const lines = (await docker("ps", "--all", ...filter, "--format", format)).split("\n");
  const sick = lines.filter((line) => line !== "" && !line.includes("(healthy)"));
  const texts = sick.map(async (line) => {
    const [role = "", name = "", status = ""] = line.split("\t");
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
