import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type AlertRule, secondsOf } from "../alerts/rule.ts";
import { alertRules } from "../alerts/rules.ts";
import { conditionOf } from "../delivery/prometheus.ts";
import type { DrillTimes } from "./drill.ts";

/** File with the results, the source of the table in docs/verification.md. */
const FILE = join(import.meta.dirname, "../../docs/drills.json");

const resultSchema = z.strictObject({
  /** Measured seconds; null if the rule has no duration. */
  pending: z.int().nullable(),
  firing: z.int(),
  resolved: z.int(),
  scale: z.number(),
  /** Target of the drill: a stack's containers, or processes of the test level `monitoring`. */
  on: z.enum(["stack", "processes"]),
  date: z.iso.date(),
  rule: z.string(),
});
const recordSchema = z.record(z.string(), resultSchema);

export type DrillResult = z.infer<typeof resultSchema>;
type DrillServiceKind = Pick<DrillResult, "scale" | "on">;

/** Returns the digest of a rule; a drill of another digest is outdated. */
export const ruleDigest = (rule: AlertRule): string =>
  createHash("sha256")
    .update(`${conditionOf(rule)} for ${rule.for}`)
    .digest("hex")
    .slice(0, 12);

export const readDrills = (file = FILE): Record<string, DrillResult> =>
  existsSync(file) ? recordSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : {};

export const isCurrent = (rule: AlertRule, result: DrillResult | undefined): boolean =>
  result?.rule === ruleDigest(rule);

/** True if no state came sooner than the rule's duration allows. */
export const isPlausible = (rule: AlertRule, { pending, firing, scale }: DrillResult): boolean =>
  (pending === null) === (rule.for === "0s") &&
  firing >= Math.floor(secondsOf(rule.for) * scale) &&
  firing >= (pending ?? 0);

/** Records drills. For an unchanged rule, a lower-ranked result replaces no other. */
export function recordDrills(
  passed: readonly DrillTimes[],
  { scale, on }: DrillServiceKind,
  file = FILE,
): void {
  const previous = readDrills(file);
  const date = new Date().toISOString().slice(0, 10);
  const entries = alertRules.flatMap((rule) => {
    const old = previous[rule.name];
    const times = passed.find((one) => one.rule === rule.name);
    const keepsOld = old && isCurrent(rule, old) && rank(old) > rank({ scale, on });
    if (!times || keepsOld) return old ? [[rule.name, old] as const] : [];
    const { pending, firing, resolved } = times;
    const result = { pending, firing, resolved, scale, on, date, rule: ruleDigest(rule) };
    return [[rule.name, result] as const];
  });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

/** Ranks a result; a whole stack with unscaled durations ranks highest. */
const rank = ({ scale, on }: DrillServiceKind): number => scale + (on === "stack" ? 1 : 0);
