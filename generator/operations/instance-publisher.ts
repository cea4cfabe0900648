import type { KafkaPublisher } from "../../kafka/publisher.ts";

export type InstancePublisher = Pick<
  KafkaPublisher,
  "epoch" | "ends" | "publishBatch" | "hasRoom" | "readLatest" | "close"
>;
