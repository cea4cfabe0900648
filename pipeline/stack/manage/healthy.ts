import { setTimeout as sleep } from "node:timers/promises";
import { containersOf, planStack } from "../plan/stack.ts";
import { HEALTHY_WITHIN_SECONDS } from "../spec.ts";
import { serviceRows } from "./docker.ts";
import { localContext } from "./plan.ts";

const POLL_MS = 2_000;

/**
 * Waits until every service of the plan is healthy. The provider does so for a container that it
 * makes, not for one that was there before.
 * @returns those that have not become healthy in time
 */
export async function untilHealthy(stack: string): Promise<string[]> {
  const plan = planStack({ ...localContext(stack), environment: process.env });
  const planned = new Set(containersOf(plan).map(({ name }) => name));
  let told = "";
  for (const deadline = Date.now() + HEALTHY_WITHIN_SECONDS * 1000; ; await sleep(POLL_MS)) {
    const sick = await sickOf(stack, planned);
    if (sick.length === 0 || Date.now() >= deadline) return sick;
    const line = `Waiting for ${sick.join(", ")}: ${HEALTHY_WITHIN_SECONDS} s at most.`;
    if (line !== told) console.error(line);
    told = line;
  }
}

/** Of those planned, the ones that are not well, each with its state. */
async function sickOf(stack: string, planned: ReadonlySet<string>): Promise<string[]> {
  const rows = await serviceRows(stack, ["{{.Names}}", "{{.Status}}"]);
  return rows
    .filter(([, name = "", status = ""]) => planned.has(name) && !status.includes("(healthy)"))
    .map(([role = "", , status = ""]) => `${role} (${stateOf(status)})`);
}

/** `Up 5 seconds (health: starting)` without what changes at each look. */
const stateOf = (status: string): string =>
  /\((?:health: )?([a-z]+)\)/i.exec(status)?.[1] ?? status.split(" ")[0]?.toLowerCase() ?? "";
