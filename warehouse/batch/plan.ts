import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { SQL_ROOT } from "../sql.ts";
import { type PublishedTable, SCOPES, type Scope } from "./published-table.ts";
import { SWEEPS } from "./sweep.ts";

const file = z.string().regex(/^[a-z_/]+\.sql$/);
const query = z.union([file, z.string().startsWith("SELECT ")]);

const table = z.string().regex(/^(ods|dds|dm)\.[a-z_]+$/);
const scope = z.enum(Object.keys(SCOPES) as [Scope, ...Scope[]]);

const condition = z.union([query, z.string().regex(/^[a-z_]+$/)]);

/** Statements that may depend on a condition; a table that a run publishes or not would lose rows. */
const conditionalSchema = z.union([
  z.strictObject({ sweep: z.enum(SWEEPS) }),
  z.strictObject({ run: z.union([file, z.array(file).min(1)]).transform((run) => [run].flat()) }),
  z.strictObject({
    if: condition,
    get statements() {
      return z.array(conditionalSchema).min(1);
    },
  }),
]);

const statementSchema = z.union([
  z.strictObject({ let: query }),
  z.strictObject({ type: z.literal("planned") }),
  z.strictObject({
    publish: table,
    rows: scope.exclude(["visitor_click"]).optional(),
    from: z.record(table, scope).default({}),
  }),
  conditionalSchema,
]);

const stepSchema = z.strictObject({
  id: z.string().regex(/^[a-z_]+$/),
  about: z.string(),
  /** Number of retries, which the caller makes. */
  retries: z.int().nonnegative(),
  wait: query.optional(),
  optional: z.strictObject({ if: query, else: z.string() }).optional(),
  assert: query.optional(),
  statements: z.array(statementSchema).default([]),
  report: query.optional(),
  ends_run: z.strictObject({ if: query, because: z.string() }).optional(),
});

const planSchema = z.strictObject({
  params: z.record(z.string(), z.number()),
  steps: z.array(stepSchema).min(1),
});

export type PlanStatement = z.infer<typeof statementSchema>;
export type PlanStep = z.infer<typeof stepSchema>;
export interface Plan extends Omit<z.infer<typeof planSchema>, "params"> {
  readonly params: Readonly<Record<string, number | string>>;
}

export function readPlan(): Plan {
  return planSchema.parse(parse(readFileSync(join(SQL_ROOT, "etl/plan.yaml"), "utf8")));
}

/** Lists the tables that the plan publishes, each with its step. */
export const publishedTables = (plan: Plan): (PublishedTable & { readonly step: string })[] =>
  plan.steps.flatMap(({ id, statements }) =>
    statements.flatMap((statement) => ("publish" in statement ? [{ ...statement, step: id }] : [])),
  );

export function findStep(plan: Plan, id: string): PlanStep {
  const step = plan.steps.find((candidate) => candidate.id === id);
  if (step) return step;
  const known = plan.steps.map((candidate) => candidate.id).join(", ");
  throw new UserError(`Unknown step "${id}". Allowed: ${known}`, "run pipeline step --help");
}
