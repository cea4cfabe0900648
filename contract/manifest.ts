import { z } from "zod";
import { defectCountsSchema } from "./defects.ts";
import { settingsSchema } from "./settings.ts";
import { statementSchema } from "./statement.ts";
import { byStream } from "./streams.ts";
import { truthSchema } from "./truth.ts";

export const MANIFEST_VERSION = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const sum = z.string().regex(/^[0-9a-f]{16}$/);
const instant = z.iso.datetime({ precision: 6 });

/** Sum of the hashes of a stream's payloads modulo 2^64, hex (generator/payload-hash.ts). */
export const payloadSumsSchema = z.strictObject(byStream(() => sum));

/** Content of a finished backfill or a stored dataset: the reconciliation's "sent" column. */
export const manifestSchema = z.strictObject({
  version: z.literal(MANIFEST_VERSION),
  seed: z.string(),
  /** Half-open interval of model time [t0, t_end). */
  t0: instant,
  t_end: instant,
  /** Digest of all settings that determine the bytes: rates, tick, speed, zone, donors, defects. */
  fingerprint: sha256,
  /** The settings themselves; missing if no generator wrote the data. */
  settings: settingsSchema.optional(),
  ...statementSchema.shape,
  users: z.int().nonnegative(),
  visits: z.int().nonnegative(),
  /** Sessions rejected by the caps; the keys `visits` and `unborn` are part of the stored format. */
  unborn: z.int().nonnegative(),
  defects: defectCountsSchema,
  /** Chained SHA-256 of the payload bytes, per stream, in order of emission. */
  digests: z.strictObject(byStream(() => sha256)),
  /** Order-independent sums of the same payloads. */
  sums: payloadSumsSchema,
  /** Parameters and expected values; missing if all visitors behave alike. */
  truth: truthSchema.optional(),
  /** SHA-256 of this manifest without this field and `settings`: equal for equal clean runs. */
  checksum: sha256,
});
export type Manifest = z.infer<typeof manifestSchema>;
