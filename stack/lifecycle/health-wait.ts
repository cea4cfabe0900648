import { setTimeout as sleep } from "node:timers/promises";
import { readOverrides } from "../../components/generator/overrides.ts";
import { containersOf, planStack } from "../../components/services.ts";
import { HEALTHY_WITHIN_SECONDS } from "../../components/shared/docker-workarounds.ts";
import type { ContainerSpec } from "../../components/shared/spec.ts";
import { localContext } from "./local-plan.ts";
import { serviceRows } from "./owned-resources.ts";

const POLL_MS = 2_000;

/** Waits for all services; the provider waits only for new ones. @returns unhealthy services */
export async function waitForHealth(stack: string): Promise<string[]> {
  const planned = containersOf(
    planStack({ ...localContext(stack), overrides: readOverrides(process.env) }),
  );
  let lastMessage = "";
  for (const deadline = Date.now() + HEALTHY_WITHIN_SECONDS * 1000; ; await sleep(POLL_MS)) {
    const unhealthy = await unhealthyOf(stack, planned);
    const shouldGiveUp =
      Date.now() >= deadline || unhealthy.some(({ state }) => state === "paused");
    const names = unhealthy.map(({ role, state }) => `${role} (${state})`);
    if (unhealthy.length === 0 || shouldGiveUp) return names;
    const line = `Waiting for ${names.join(", ")}: ${HEALTHY_WITHIN_SECONDS} s at most.`;
    if (line !== lastMessage) console.error(line);
    lastMessage = line;
  }
}

interface UnhealthyService {
  readonly role: string;
  readonly state: string;
}

async function unhealthyOf(
  stack: string,
  planned: readonly ContainerSpec[],
): Promise<UnhealthyService[]> {
  const rows = await serviceRows(stack, ["{{.Names}}", "{{.Status}}"]);
  const statuses = new Map(rows.map(([, name = "", status = ""]) => [name, status]));
  return planned
    .map(({ role, name }) => ({ role, state: stateOf(statuses.get(name)) }))
    .filter(({ state }) => state !== "healthy");
}

/** Returns `starting` for `Up 5 seconds (health: starting)`. */
export function stateOf(status: string | undefined): string {
  if (status === undefined) return "missing";
  const [, word] = /\((?:health: )?([a-z]+)\)/i.exec(status) ?? [];
  return (word ?? status.split(" ")[0] ?? "").toLowerCase();
}
