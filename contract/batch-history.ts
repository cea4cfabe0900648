import { z } from "zod";

const count = z.int().nonnegative();
const instant = z.iso.datetime({ precision: 3 });

/** Value of a record in `generator_batch_history`; the key is `batch_id`. */
export const batchHistorySchema = z.strictObject({
  batch_id: z.string().min(1),
  /** Wall-clock time, UTC. */
  started_at: instant,
  finished_at: instant,
  sent_total: count,
  sent_browser: count,
  sent_location: count,
  sent_device: count,
  sent_geo: count,
  status: z.enum(["success", "partial", "error"]),
  /** Empty string for success. */
  error_message: z.string(),
});
export type BatchHistory = z.infer<typeof batchHistorySchema>;
