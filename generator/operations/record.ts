import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import type { SourceRecord } from "../../contract/source.ts";
import { statementOf, statementSchema } from "../../contract/statement.ts";
import type { Micros } from "../../contract/time.ts";
import {
  parseStateShape,
  parseStored,
  STATE_VERSION,
  type StateV3,
  sentSchema,
} from "../model/state.ts";

/** Operations that write a record; they distinguish an unfinished backfill from live mode. */
const PHASES = ["clean", "import", "backfill", "live"] as const;

const chosenSchema = z.strictObject({
  GEN_SEED: z.string().optional(),
  GEN_MODEL_TIME_SPEED: z.string().optional(),
});
export type ChosenSettings = z.infer<typeof chosenSchema>;

const frameSchema = z.strictObject({
  version: z.literal(STATE_VERSION),
  phase: z.enum(PHASES),
  batches: z.int().nonnegative(),
  /** Model time in microseconds; null when live began at T0. */
  t_end_us: z.int().nullable(),
  checksum: z.string().nullable(),
  /** True after a clean shutdown. */
  stopped: z.boolean(),
  /** Topic ends before the record's transaction, by partition. */
  ends: z.record(z.string(), z.array(z.int().nonnegative()).readonly()),
  /** Content of the topics, if `generator` does not describe it. */
  statement: statementSchema.nullable(),
  /** Settings from the control endpoint, which override the environment. */
  chosen: chosenSchema.optional(),
  /** State of the model; null during an import and with GEN_STATE_ENABLED=false. */
  generator: z.unknown(),
});
export type RecordFrame = z.infer<typeof frameSchema>;

/** Record of an instance in the topic `generator_state`, committed with every batch. */
export type InstanceRecord = Omit<RecordFrame, "generator"> & {
  readonly generator: StateV3 | null;
};

export const cleanRecord = (): InstanceRecord => ({
  version: STATE_VERSION,
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

/** Parses a record without the state. @throws UserError as `parseStored` */
export const parseFrame = (text: string): RecordFrame => parseStored(text, frameSchema);

/** Parses a record. @throws UserError as `parseFrame`, or if the state is damaged */
export function parseRecord(text: string): InstanceRecord {
  const frame = parseFrame(text);
  const { generator } = frame;
  if (generator === null) return { ...frame, generator: null };
  return { ...frame, generator: parseStateShape(JSON.stringify(generator)) };
}

/** What an instance has sent, in total and per model day, and with which settings. */
type Sent = Pick<SourceRecord, "statement" | "defects" | "settings">;

/** Parses what others read of a record. @throws UserError as `parseFrame`, or without counts */
export function sentIn(text: string): Sent {
  const { statement, generator } = parseFrame(text);
  const state = sentSchema.safeParse(generator).data;
  if (state) {
    const { sent, defects, settings, earlier = [] } = state;
    return { statement: statementOf(sent), defects, settings: { settings, earlier } };
  }
  if (statement) return { statement };
  throw new UserError(
    "The stored generator state has no message counts",
    "run `make generator-logs` to see the reason",
  );
}
