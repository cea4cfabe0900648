import { UserError } from "../../../contract/errors.ts";
import { renderTable } from "../../terminal/format.ts";
import { LABELS } from "../names.ts";
import { planStack } from "../plan/stack.ts";
import { secretsFile } from "../state.ts";
import { docker } from "./docker.ts";
import { localContext } from "./plan.ts";
import { execute } from "./process.ts";

/** Addresses of the stack on this machine, and who logs in where. */
export function urls(stack: string): string {
  const plan = planStack(localContext(stack));
  const rows = [
    ["Kafka", plan.broker.endpoint.host, ""],
    ...(plan.brokerUi ? [["Kafka UI", plan.brokerUi.url, ""]] : []),
    ["ClickHouse", `${plan.database.endpoint.hostUrl}/play`, plan.database.endpoint.user],
    ...(plan.generator ? [["Generator", `${plan.generator.url}/status`, ""]] : []),
  ];
  return `${renderTable(["service", "address", "user"], rows)}\nPasswords: ${secretsFile(stack)}`;
}

interface Listed {
  readonly Names: string;
  readonly State: string;
  readonly Status: string;
}

/** Services of the stack: state, health, age. */
export async function ps(stack: string): Promise<string> {
  const filter = [
    "--filter",
    `label=${LABELS.project}=${stack}`,
    "--filter",
    `label=${LABELS.role}`,
  ];
  const role = `{{.Label "${LABELS.role}"}}`;
  const text = await docker("ps", "--all", ...filter, "--format", `${role}\t{{json .}}`);
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return `Nothing runs. next: make up STACK=${stack}`;
  const rows = lines.sort().map((line) => {
    const [service = "", json = "{}"] = line.split("\t");
    const { Names, State, Status } = JSON.parse(json) as Listed;
    return [service, State, Status, Names];
  });
  return renderTable(["service", "state", "status", "container"], rows);
}

/** Follows the log of one service, or prints the end of every service's. */
export async function logs(stack: string, service: string | undefined): Promise<void> {
  const filter = ["--filter", `label=${LABELS.project}=${stack}`];
  const format = `{{.Label "${LABELS.role}"}}\t{{.Names}}`;
  const text = await docker(
    "ps",
    "--all",
    ...filter,
    "--filter",
    `label=${LABELS.role}`,
    "--format",
    format,
  );
  const containers = new Map(
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split("\t") as [string, string]),
  );
  if (service === undefined) {
    for (const [role, name] of containers) {
      process.stdout.write(`\n${role}\n`);
      await execute("docker", ["logs", "--tail", "20", name], { output: "show" });
    }
    return;
  }
  const name = containers.get(service);
  if (!name) {
    throw new UserError(
      `No service "${service}" in the stack ${stack}; there are: ${[...containers.keys()].join(", ") || "none"}`,
      `make ps STACK=${stack}`,
    );
  }
  await execute("docker", ["logs", "--follow", "--tail", "200", name], { output: "show" });
}
