import type { KafkaPublisher } from "../../kafka/publisher.ts";

/** The part of the publisher that the sender uses. */
export type InstancePublisher = Pick<
  KafkaPublisher,
  "epoch" | "ends" | "publishBatch" | "hasRoom" | "readLatest" | "close"
>;
