import type { KafkaPublisher } from "../../kafka/publisher.ts";

/** The part of the publisher that the sender uses. */
export type StandPublisher = Pick<
  KafkaPublisher,
  "epoch" | "ends" | "publishBatch" | "hasRoom" | "readLatest" | "close"
>;
