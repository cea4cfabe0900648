import { containersOf, memoryOf, type StackPlan } from "../../components/services.ts";
import { formatCount } from "../../terminal/format.ts";
import { settingHint } from "../make-hints.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

export const neededBy = (plan: StackPlan): number =>
  containersOf(plan).reduce((sum, { measuredMiB = 0 }) => sum + measuredMiB, 0);

export const memoryFinding = (plan: StackPlan, total: number): Finding =>
  memory({ limits: memoryOf(plan), needed: neededBy(plan), total });

interface Memory {
  readonly limits: number;
  readonly needed: number;
  readonly total: number;
}

/** In MiB; limits above the total only warn, because services use a fraction of them. */
export function memory({ limits, needed, total }: Memory): Finding {
  const has = `the engine has ${formatCount(total)} MiB`;
  if (total < needed) {
    return fail(
      "memory",
      `the services of this stack need at least ${formatCount(needed)} MiB, ${has}`,
      `give Docker more memory, or ${settingHint("scheduler.enabled or bi.enabled", "false")}`,
    );
  }
  const detail = `limits add up to ${formatCount(limits)} MiB, ${has}`;
  return limits <= total
    ? ok("memory", detail)
    : warn(
        "memory",
        detail,
        `give Docker more memory, or ${settingHint("database.memoryMiB", "less")}`,
      );
}
