import { setTimeout as sleep } from "node:timers/promises";
import { readOverrides } from "../../components/generator/overrides.ts";
import { containersOf, planStack } from "../../components/services.ts";
import { type ContainerSpec, HEALTHY_WITHIN_SECONDS } from "../../components/shared/spec.ts";
import { localContext } from "./local-plan.ts";
import { serviceRows } from "./owned.ts";

const POLL_MS = 2_000;

/**
 * Waits until every service of the plan is healthy. The provider does so for a container that it
 * makes, but for none that was there before. One that somebody paused is not waited for.
 * @returns those that have not become healthy in time
 */
export async function untilHealthy(stack: string): Promise<string[]> {
  const planned = containersOf(
    planStack({ ...localContext(stack), overrides: readOverrides(process.env) }),
  );
  let told = "";
  for (const deadline = Date.now() + HEALTHY_WITHIN_SECONDS * 1000; ; await sleep(POLL_MS)) {
    const sick = await sickOf(stack, planned);
    const isVain = Date.now() >= deadline || sick.some(({ state }) => state === "paused");
    const names = sick.map(({ role, state }) => `${role} (${state})`);
    if (sick.length === 0 || isVain) return names;
    const line = `Waiting for ${names.join(", ")}: ${HEALTHY_WITHIN_SECONDS} s at most.`;
    if (line !== told) console.error(line);
    told = line;
  }
}

interface Sick {
  readonly role: string;
  readonly state: string;
}

/** Of those planned, the ones that are not well, each with its state. */
async function sickOf(stack: string, planned: readonly ContainerSpec[]): Promise<Sick[]> {
  const rows = await serviceRows(stack, ["{{.Names}}", "{{.Status}}"]);
  const statuses = new Map(rows.map(([, name = "", status = ""]) => [name, status]));
  return planned
    .map(({ role, name }) => ({ role, state: stateOf(statuses.get(name)) }))
    .filter(({ state }) => state !== "healthy");
}

/** `Up 5 seconds (health: starting)` without what changes at each look. */
export function stateOf(status: string | undefined): string {
  if (status === undefined) return "missing";
  const [, word] = /\((?:health: )?([a-z]+)\)/i.exec(status) ?? [];
  return (word ?? status.split(" ")[0] ?? "").toLowerCase();
}
