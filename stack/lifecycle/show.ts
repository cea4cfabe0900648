import { addressesOf } from "../../components/services.ts";
import { UserError } from "../../contract/errors.ts";
import { renderTable } from "../../terminal/format.ts";
import { execute } from "../../terminal/process.ts";
import { localPlan } from "./local-plan.ts";
import { serviceRows } from "./owned.ts";

export function urls(stack: string): string {
  const addresses = Object.values(addressesOf(localPlan(stack)));
  const rows = addresses.map(({ title, url, page = "", user = "" }) => [title, url + page, user]);
  return `${renderTable(["service", "address", "user"], rows)}\nPasswords: make secrets STACK=${stack}`;
}

export async function ps(stack: string): Promise<string> {
  const rows = await serviceRows(stack, ["{{.State}}", "{{.Status}}", "{{.Names}}"]);
  if (rows.length === 0) return `Nothing runs. hint: make up STACK=${stack}`;
  return renderTable(["service", "state", "status", "container"], rows);
}

export async function logs(stack: string, service: string | undefined): Promise<void> {
  const rows = await serviceRows(stack, ["{{.Names}}"]);
  const containers = new Map(rows.map(([role = "", name = ""]) => [role, name]));
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
