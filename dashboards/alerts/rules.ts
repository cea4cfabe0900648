import { isAnswered, type Job } from "../promql.ts";
import { brokerRules } from "./broker.ts";
import { databaseRules } from "./database.ts";
import { generatorRules } from "./generator.ts";
import { pipelineRules } from "./pipeline.ts";
import type { AlertRule } from "./rule.ts";
import { schedulerRules } from "./scheduler.ts";

export const alertRules: readonly AlertRule[] = [
  ...databaseRules,
  ...brokerRules,
  ...schedulerRules,
  ...generatorRules,
  ...pipelineRules,
];

/** Returns the rules of the present jobs: a missing scheduler must not alert as a stopped one. */
export const rulesFor = (jobs: ReadonlySet<Job>): AlertRule[] =>
  alertRules.filter(({ group, signal }) => jobs.has(group) && isAnswered(signal.expr, jobs));
