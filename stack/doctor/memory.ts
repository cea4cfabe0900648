import { containersOf, memoryOf, type StackPlan } from "../../components/services.ts";
import { settingCure } from "../../components/shared/names.ts";
import type { ContainerSpec } from "../../components/shared/spec.ts";
import { formatCount } from "../../terminal/format.ts";
import { type Finding, fail, ok, warn } from "./check.ts";

/**
 * What each service held at most, MiB, in a stack that lives under the least limits
 * (test/stack/least-memory.ts; docs/operations.md has the run). Services that are not here count for
 * nothing: they were not measured.
 */
const HELD_MIB: Partial<Record<ContainerSpec["role"], number>> = {
  broker: 396,
  database: 327,
  generator: 165,
  postgres: 113,
  bi: 241,
  scheduler: 407,
  "scheduler-web": 297,
  metrics: 37,
  "statsd-exporter": 16,
};

/** What the services of a plan were seen to need together, MiB. */
export const neededBy = (plan: StackPlan): number =>
  containersOf(plan).reduce((sum, { role }) => sum + (HELD_MIB[role] ?? 0), 0);

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
      `give Docker more memory, or ${settingCure("scheduler.enabled or bi.enabled", "false")}`,
    );
  }
  const detail = `limits add up to ${formatCount(limits)} MiB, ${has}`;
  return limits <= total
    ? ok("memory", detail)
    : warn(
        "memory",
        detail,
        `give Docker more memory, or ${settingCure("database.memoryMiB", "less")}`,
      );
}
