import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { manifestSchema } from "../../contract/manifest.ts";
import { statementSchema } from "../../contract/statement.ts";
import type { Micros } from "../../contract/time.ts";
import { parseStateShape, type StateV3 } from "../model/state.ts";

const VERSION = 3;
const RESET = "set GEN_STATE_RESET=true to clear the state and start at GEN_MODEL_T0";

/** Operations that write a record; they distinguish an unfinished backfill from live mode. */
const PHASES = ["clean", "import", "backfill", "live"] as const;

const chosenSchema = z.strictObject({
  GEN_SEED: z.string().optional(),
  GEN_MODEL_TIME_SPEED: z.string().optional(),
});
export type ChosenSettings = z.infer<typeof chosenSchema>;

const frameSchema = z.strictObject({
  version: z.literal(VERSION),
  phase: z.enum(PHASES),
  batches: z.int().nonnegative(),
  /** Model time in microseconds; null when live began at T0. */
  t_end_us: z.int().nullable(),
  checksum: z.string().nullable(),
  /** True after a clean shutdown. Missing in older records. */
  stopped: z.boolean().default(false),
  /** Topic ends before the record's transaction, by partition. Missing in older records. */
  ends: z.record(z.string(), z.array(z.int().nonnegative()).readonly()).default({}),
  /** Content of the topics, if `generator` does not describe it. */
  statement: statementSchema.nullable(),
  /** Settings from the control endpoint, which override the environment. */
  chosen: chosenSchema.optional(),
  /** State of the model; null during an import and with GEN_STATE_ENABLED=false. */
  generator: z.unknown(),
});
type Frame = z.infer<typeof frameSchema>;

/** Record of an instance in the topic `generator_state`, committed with every batch. */
export type InstanceRecord = Omit<Frame, "generator"> & { readonly generator: StateV3 | null };

export type RecordFrame = Frame;

export const cleanRecord = (): InstanceRecord => ({
  version: VERSION,
  phase: "clean",
  batches: 0,
  t_end_us: null,
  checksum: null,
  stopped: false,
  ends: {},
  statement: null,
  generator: null,
});

export const startedRecord = (tEnd: Micros, chosen: ChosenSettings = {}): InstanceRecord => ({
  ...cleanRecord(),
  phase: "backfill",
  t_end_us: tEnd,
  ...chosenPart(chosen),
});

export const chosenPart = (chosen: ChosenSettings): Pick<InstanceRecord, "chosen"> =>
  Object.keys(chosen).length === 0 ? {} : { chosen };

/** Returns the state. @throws UserError if batches exist without state: a start at T0 would repeat them */
export function requireState(record: InstanceRecord | null): StateV3 | undefined {
  if (record?.generator) return record.generator;
  if (!record || record.batches === 0) return undefined;
  throw new UserError(
    `The instance has ${record.batches} batches made with GEN_STATE_ENABLED=false, which cannot be continued`,
    "run pipeline generator clean-start --yes --t-end INSTANT (removes them and writes a new history)",
  );
}

/** Parses a record without the state. @throws UserError for invalid JSON, version or shape */
export function parseFrame(text: string): RecordFrame {
  const raw = parseJson(text);
  const version = (raw as { version?: unknown } | null)?.version;
  if (version !== VERSION) {
    throw new UserError(
      `Migration error: the stored generator state has version ${JSON.stringify(version) ?? "none"}. Allowed: version ${VERSION}`,
      RESET,
    );
  }
  const parsed = frameSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UserError(
    `The stored generator state is damaged at ${issue?.path.join(".") || "(top)"}: ${issue?.message}`,
    RESET,
  );
}

/** Parses a record. @throws UserError as `parseFrame`, or if the state is damaged */
export function parseRecord(text: string): InstanceRecord {
  const frame = parseFrame(text);
  const { generator } = frame;
  if (generator === null) return { ...frame, generator: null };
  return { ...frame, generator: parseStateShape(JSON.stringify(generator)) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(
      `The stored generator state is not JSON: ${(error as Error).message}`,
      RESET,
    );
  }
}

const announcementSchema = z.strictObject({ kind: z.literal("generator") });
const loadSchema = z.strictObject({
  kind: z.literal("load"),
  statement: statementSchema,
  manifest: manifestSchema.nullable(),
  /** True if the load is complete. Missing in older records. */
  isFinal: z.boolean().optional(),
});

/** Value in the topic `generator_manifest`. */
export const sourceSchema = z.union([manifestSchema, announcementSchema, loadSchema]);
export type SourceRecord = z.infer<typeof sourceSchema>;
export type LoadRecord = z.infer<typeof loadSchema>;

/** Source record written with an instance's first batch, so that others find the state. */
export const announcement = { kind: "generator" } as const;
