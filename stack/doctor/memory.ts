import {
  containersOf,
  deployedWith,
  memoryOf,
  type ServiceName,
  type StackPlan,
} from "../../components/services.ts";
import { formatCount } from "../../terminal/format.ts";
import { settingHint } from "../make-hints.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

export const neededBy = (plan: Partial<StackPlan>): number =>
  containersOf(plan).reduce((sum, { measuredMiB = 0 }) => sum + measuredMiB, 0);

export const memoryFinding = (stack: string, plan: StackPlan, total: number): Finding =>
  memory({
    stack,
    limits: memoryOf(plan),
    needed: neededBy(plan),
    total,
    switches: switchesOf(plan),
  });

/** Settings that disable the two services with the largest limits. */
function switchesOf(plan: StackPlan): string[] {
  const needs = (name: ServiceName): number => neededBy({ [name]: plan[name] });
  return (Object.keys(plan) as ServiceName[])
    .filter((name) => needs(name) > 0 && deployedWith(name) === `${name}.enabled`)
    .sort((a, b) => needs(b) - needs(a))
    .slice(0, 2)
    .map(deployedWith);
}

interface Memory {
  readonly stack: string;
  readonly limits: number;
  readonly needed: number;
  readonly total: number;
  readonly switches: readonly string[];
}

/** Checks memory, MiB. Limits above the total only warn, because services use a fraction of them. */
export function memory({ stack, limits, needed, total, switches }: Memory): Finding {
  const has = `the engine has ${formatCount(total)} MiB`;
  if (total < needed) {
    return fail(
      "memory",
      `the services of this stack need at least ${formatCount(needed)} MiB, ${has}`,
      ["give Docker more memory", ...switches.map((key) => settingHint(stack, key, "false"))].join(
        ", or ",
      ),
    );
  }
  const detail = `limits add up to ${formatCount(limits)} MiB, ${has}`;
  return limits <= total
    ? ok("memory", detail)
    : warn(
        "memory",
        detail,
        `give Docker more memory, or ${settingHint(stack, "database.memoryMiB", "less")}`,
      );
}
