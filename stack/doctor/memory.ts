import { containersOf, memoryOf, type StackPlan } from "../../components/services.ts";
import { settingHint } from "../../components/shared/names.ts";
import { formatCount } from "../../terminal/format.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

/** Memory that the services of a plan need together, as far as it was measured, MiB. */
export const neededBy = (plan: StackPlan): number =>
  containersOf(plan).reduce((sum, { measuredMiB = 0 }) => sum + measuredMiB, 0);

export const memoryFinding = (plan: StackPlan, total: number): Finding =>
  memory({ limits: memoryOf(plan), needed: neededBy(plan), total });

interface Memory {
  readonly limits: number;
  readonly needed: number;
  readonly total: number;
}

/** Limits are no reservations: a stack holds a fraction of theirs most of the time. All in MiB. */
export function memory({ limits, needed, total }: Memory): Finding {
  const has = `the engine has ${formatCount(total)} MiB`;
  if (total < needed) {
    return fail(
      "memory",
      `the services of this stack held ${formatCount(needed)} MiB under the least limits, ${has}`,
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
