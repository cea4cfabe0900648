import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { parseJson } from "../../contract/json.ts";
import { type Decision, OPERATIONS } from "../operations/decision.ts";
import type { GeneratorService } from "./service.ts";

const text = z.string().min(1).optional();
const history = {
  t_end: text,
  max_events: z.int().positive().optional(),
  seed: text,
  speed: z.number().positive().optional(),
};

const requestSchema = z.discriminatedUnion("operation", [
  z.strictObject({ operation: z.literal("pause") }),
  z.strictObject({ operation: z.literal("resume") }),
  z.strictObject({ operation: z.literal("live") }),
  z.strictObject({ operation: z.literal("continue") }),
  z.strictObject({ operation: z.literal("backfill"), ...history }),
  z.strictObject({ operation: z.literal("import"), dataset: text }),
  z.strictObject({
    operation: z.literal("clean_start"),
    ...history,
    confirm: z.string().optional(),
  }),
  z.strictObject({
    operation: z.literal("dry_run"),
    of: z.enum(OPERATIONS),
    ...history,
    confirm: z.string().optional(),
    dataset: text,
  }),
]);

export type ControlledService = Pick<
  GeneratorService,
  "state" | "pause" | "resume" | "consider" | "start"
>;

export interface Answer {
  readonly status: number;
  readonly body: object;
}

const FORMS =
  'JSON like {"operation":"backfill","t_end":"2026-01-08T00:00:00Z"}; operations: pause, resume, live, continue, backfill (t_end, seed, speed, max_events), import (dataset), clean_start (t_end, seed, speed, max_events, confirm), dry_run (of, plus the fields of that operation)';

export function isAuthorised(header: string | undefined, token: string): boolean {
  const given = header?.startsWith("Bearer ") ? header.slice("Bearer ".length) : "";
  return timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Executes a request of the control endpoint. @throws Conflict, UserError */
export async function control(service: ControlledService, body: string): Promise<Answer> {
  const parsed = requestSchema.safeParse(parseJson(body));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join(".") || "body";
    return { status: 400, body: { error: `${where}: ${issue?.message}`, hint: FORMS } };
  }
  const request = parsed.data;
  switch (request.operation) {
    case "pause":
      await service.pause();
      return { status: 200, body: { operation: "pause", state: service.state } };
    case "resume":
      return answerOf("resume", await service.resume());
    case "dry_run": {
      const { of, ...fields } = request;
      const decision = await service.consider({ operation: of, ...requestOf(fields) });
      return { status: 200, body: { operation: "dry_run", of, decision } };
    }
    default: {
      const { operation, ...fields } = request;
      return answerOf(operation, await service.start({ operation, ...requestOf(fields) }));
    }
  }
}

type DryRun = Extract<z.infer<typeof requestSchema>, { operation: "dry_run" }>;
type Fields = Partial<Omit<DryRun, "operation" | "of">>;

const requestOf = ({ t_end: tEnd, max_events, confirm, dataset, seed, speed }: Fields) => ({
  tEnd,
  maxEvents: max_events,
  confirm,
  dataset,
  chosen: {
    ...(seed === undefined ? {} : { GEN_SEED: seed }),
    ...(speed === undefined ? {} : { GEN_MODEL_TIME_SPEED: String(speed) }),
  },
});

function answerOf(operation: string, decision: Decision): Answer {
  switch (decision.action) {
    case "run":
      return { status: 202, body: { operation, steps: decision.steps, reason: decision.reason } };
    case "done":
      return { status: 200, body: { operation, done: true, reason: decision.reason } };
    case "refuse":
      return { status: 409, body: { operation, error: decision.reason, hint: decision.hint } };
  }
}
