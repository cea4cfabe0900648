import { pulumiText } from "../manage/pulumi.ts";
import { type Finding, fail, ok, type Patient, warn } from "./check.ts";

const NEEDED = ["docker", "command"] as const;
/** Where dashboards and rules are resources of the stack. */
const GRAFANA = "grafana";

/** Pulumi's command line and the provider plugins the program uses. */
export async function toolFindings({ stack, plan }: Patient): Promise<Finding[]> {
  try {
    const version = (await pulumiText(stack, "version")).trim();
    const listed = JSON.parse(await pulumiText(stack, "plugin", "ls", "--json")) as {
      name: string;
      version: string;
    }[];
    const isDelivered = plan.monitoring.dashboards?.delivery === "resources";
    const needed = [...NEEDED, ...(isDelivered ? [GRAFANA] : [])];
    const missing = needed.filter((name) => !listed.some((plugin) => plugin.name === name));
    return [
      ok("pulumi", version),
      missing.length === 0
        ? ok("plugins", listed.map(({ name, version: one }) => `${name} ${one}`).join(", "))
        : warn(
            "plugins",
            `not there yet: ${missing.join(", ")}`,
            "the first make up fetches them; without network: pulumi plugin install FILE",
          ),
    ];
  } catch (error) {
    return [fail("pulumi", error instanceof Error ? error.message : String(error), "npm ci")];
  }
}
