import { z } from "zod";
import { byStream } from "./streams.ts";

/** Injected defects. An event has at most one, so that injected and detected counts are comparable. */
export const defects = {
  malformed: "A truncated message that is not valid JSON",
  late: "An event sent 30 minutes to 3 hours after it happened",
  duplicate: "A browser message sent twice, byte for byte",
  missing_location: "An event whose location message is never sent",
  missing_device: "A session whose device message is never sent",
  bad_geo: "A session with an impossible coordinate or no country",
  skewed_clock: "An event stamped by a clock that runs 1 to 12 hours ahead",
} as const;

export type DefectKind = keyof typeof defects;
export const DEFECT_KINDS = Object.keys(defects) as DefectKind[];

const count = z.int().nonnegative();

/** Number of messages per stream. */
export const streamCountsSchema = z.strictObject(byStream(() => count));
export type StreamCounts = z.infer<typeof streamCountsSchema>;

export const zeroCounts = (): StreamCounts => ({ browser: 0, location: 0, device: 0, geo: 0 });

/** Injected defects: kind → stream → number of affected messages. */
export const defectCountsSchema = z.strictObject(
  Object.fromEntries(DEFECT_KINDS.map((kind) => [kind, streamCountsSchema])) as Record<
    DefectKind,
    typeof streamCountsSchema
  >,
);
export type DefectCounts = z.infer<typeof defectCountsSchema>;

export const noDefects = (): DefectCounts =>
  Object.fromEntries(DEFECT_KINDS.map((kind) => [kind, zeroCounts()])) as DefectCounts;
