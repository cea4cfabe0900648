import { type Job, jobsIn } from "../promql.ts";
import { brokerRules } from "./broker.ts";
import { collectorRules } from "./collector.ts";
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
  ...collectorRules,
  ...pipelineRules,
];

/** Returns the first job that the rule needs and the stack lacks. */
export const missingJob = ({ group, signal }: AlertRule, jobs: ReadonlySet<Job>): Job | undefined =>
  [group, ...jobsIn(signal.expr)].find((job) => !jobs.has(job));

/** Returns the rules of the present jobs: a missing scheduler must not alert as a stopped one. */
export const rulesFor = (jobs: ReadonlySet<Job>): AlertRule[] =>
  alertRules.filter((rule) => missingJob(rule, jobs) === undefined);
