import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { manifestSchema } from "../../contract/manifest.ts";
import { statementSchema } from "../../contract/statement.ts";
import type { Micros } from "../../contract/time.ts";
import { parseStateShape, type StateV3 } from "../model/state.ts";

const VERSION = 3;
const RESET = "GEN_STATE_RESET=true clears the state and starts at GEN_MODEL_T0";

/** What was writing: an unfinished backfill must not be taken for live generation. */
const PHASES = ["clean", "import", "backfill", "live"] as const;

const chosenSchema = z.strictObject({
  GEN_SEED: z.string().optional(),
  GEN_MODEL_TIME_SPEED: z.string().optional(),
});
/** What belongs to an instance's history rather than to the generator that happens to write it. */
export type ChosenSettings = z.infer<typeof chosenSchema>;

const frameSchema = z.strictObject({
  version: z.literal(VERSION),
  phase: z.enum(PHASES),
  /** Batches committed in this epoch; the next one has this number. */
  batches: z.int().nonnegative(),
  /** End of the history that is or was being written, model time; null when live began at T0. */
  t_end_us: z.int().nullable(),
  /** Checksum of the imported data set's manifest. */
  checksum: z.string().nullable(),
  /** Its writer has ended in order: nobody writes any more. Missing in older records. */
  stopped: z.boolean().default(false),
  /** Where the event topics ended, by partition, before its transaction. Missing in older records. */
  ends: z.record(z.string(), z.array(z.int().nonnegative()).readonly()).default({}),
  /** What stands in the topics, where `generator` does not say it. */
  statement: statementSchema.nullable(),
  /** Settings asked for on the control endpoint, which stand above those of the environment. */
  chosen: chosenSchema.optional(),
  /** The generator's state; null during an import and with GEN_STATE_ENABLED=false. */
  generator: z.unknown(),
});
type Frame = z.infer<typeof frameSchema>;

/** Record of a stand in the topic `generator_state`, committed with every batch. */
export type InstanceRecord = Omit<Frame, "generator"> & { readonly generator: StateV3 | null };

/** A record whose state inside is not looked at. */
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

/** A history that is to be written, of which nothing stands yet: what was asked for is not forgotten. */
export const begunRecord = (tEnd: Micros, chosen: ChosenSettings = {}): InstanceRecord => ({
  ...cleanRecord(),
  phase: "backfill",
  t_end_us: tEnd,
  ...chosenPart(chosen),
});

/** Left out where nothing was chosen, as in older records. */
export const chosenPart = (chosen: ChosenSettings): Pick<InstanceRecord, "chosen"> =>
  Object.keys(chosen).length === 0 ? {} : { chosen };

/**
 * The state to go on from; undefined where nothing was written yet.
 * @throws UserError when batches stand without it: beginning at T0 would write them twice
 */
export function requireState(record: InstanceRecord | null): StateV3 | undefined {
  if (record?.generator) return record.generator;
  if (!record || record.batches === 0) return undefined;
  throw new UserError(
    `The instance holds ${record.batches} batches made with GEN_STATE_ENABLED=false, which nothing can continue`,
    "pipeline generator clean-start (removes them and begins anew)",
  );
}

/** @throws UserError for broken JSON, another version or an unknown shape */
export function parseFrame(text: string): RecordFrame {
  const raw = parseJson(text);
  const version = (raw as { version?: unknown } | null)?.version;
  if (version !== VERSION) {
    throw new UserError(
      `Migration error: the stored generator state has version ${JSON.stringify(version) ?? "none"}, this generator reads only version ${VERSION}`,
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

/** @throws UserError as `parseFrame`, or when the state inside is damaged */
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
  /** Whether the load has ended and sends no more. Missing in older records. */
  isFinal: z.boolean().optional(),
});

/**
 * A value in the topic `generator_manifest`: the manifest of a finished history under the instance's
 * name, before that the announcement that the instance publishes, and what each load has sent.
 */
export const sourceSchema = z.union([manifestSchema, announcementSchema, loadSchema]);
export type SourceRecord = z.infer<typeof sourceSchema>;
export type LoadRecord = z.infer<typeof loadSchema>;

/** Written with an instance's first batch: others find the state of a stand by it. */
export const announcement = { kind: "generator" } as const;
