import { STREAMS, streams } from "./streams.ts";

/** Topic of every event stream, in stream order. */
export const EVENT_TOPICS = STREAMS.map((stream) => streams[stream].topic);

/** JSON records of what each generator batch sent; key `batch_id`. */
export const BATCH_HISTORY_TOPIC = "generator_batch_history";

/** Compacted; key = stand name. */
export const STATE_TOPIC = "generator_state";
export const MANIFEST_TOPIC = "generator_manifest";

/** Record headers of every message our producers send. */
export const HEADERS = {
  /** Epoch of the topics (a decimal number): a new one starts whenever they are recreated. */
  epoch: "epoch",
  /** Model time at which the message left the visitor, `YYYY-MM-DD HH:MM:SS.ffffff` UTC. */
  emittedAt: "emitted_at",
} as const;
