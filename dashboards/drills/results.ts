import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type AlertRule, secondsOf } from "../alerts/rule.ts";
import { alertRules } from "../alerts/rules.ts";
import { conditionOf } from "../delivery/prometheus.ts";
import type { DrillTimes } from "./drill.ts";

/** What the drill of each alert last showed; docs/operations.md draws its table from it. */
const FILE = join(import.meta.dirname, "../../docs/drills.json");

const resultSchema = z.strictObject({
  /** Seconds, as the drill measured them; null where the rule has no duration. */
  pending: z.int().nullable(),
  firing: z.int(),
  resolved: z.int(),
  /** By which the rule's durations were multiplied. */
  scale: z.number(),
  /** What was broken: a stack's containers, or processes of the monitoring level. */
  on: z.enum(["stack", "processes"]),
  date: z.iso.date(),
  /** Of the rule as it was then. */
  rule: z.string(),
});
const recordSchema = z.record(z.string(), resultSchema);

export type DrillResult = z.infer<typeof resultSchema>;
type DrillServiceKind = Pick<DrillResult, "scale" | "on">;

/** Of a rule's condition and duration: what was drilled under another one proves nothing. */
export const ruleDigest = (rule: AlertRule): string =>
  createHash("sha256")
    .update(`${conditionOf(rule)} for ${rule.for}`)
    .digest("hex")
    .slice(0, 12);

export const readDrills = (file = FILE): Record<string, DrillResult> =>
  existsSync(file) ? recordSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : {};

/** Whether the rule is as it was when it was drilled. */
export const isCurrent = (rule: AlertRule, result: DrillResult | undefined): boolean =>
  result?.rule === ruleDigest(rule);

/** Whether a drill could have shown these times: nothing fires before its duration is over. */
export const isPlausible = (rule: AlertRule, { pending, firing, scale }: DrillResult): boolean =>
  (pending === null) === (rule.for === "0s") &&
  firing >= Math.floor(secondsOf(rule.for) * scale) &&
  firing >= (pending ?? 0);

/**
 * Notes what drills have shown, in the order of the rules. One on a whole stack with the rule's own
 * durations yields only to its like, as long as the rule is what it was.
 */
export function recordDrills(
  passed: readonly DrillTimes[],
  { scale, on }: DrillServiceKind,
  file = FILE,
): void {
  const former = readDrills(file);
  const date = new Date().toISOString().slice(0, 10);
  const entries = alertRules.flatMap((rule) => {
    const old = former[rule.name];
    const times = passed.find((one) => one.rule === rule.name);
    const keepsOld = old && isCurrent(rule, old) && rank(old) > rank({ scale, on });
    if (!times || keepsOld) return old ? [[rule.name, old] as const] : [];
    const { pending, firing, resolved } = times;
    const result = { pending, firing, resolved, scale, on, date, rule: ruleDigest(rule) };
    return [[rule.name, result] as const];
  });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

/** The nearer to what an operator runs, the more it proves. */
const rank = ({ scale, on }: DrillServiceKind): number => scale + (on === "stack" ? 1 : 0);
