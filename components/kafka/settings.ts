import { clusterId } from "../shared/names.ts";

export const INSIDE_PORT = 29_092;
export const OUTSIDE_PORT = 9092;
const CONTROLLER_PORT = 9093;
export const LOG_DIRECTORY = "/var/lib/kafka/data";

/** One broker, which is also a controller. */
export interface KafkaNode {
  readonly id: number;
  /** Name in the stack's network. */
  readonly name: string;
  /** Address for clients on this machine. */
  readonly address: string;
}

/**
 * Returns the environment of the official image, which turns `KAFKA_LOG_DIRS` into `log.dirs`.
 * @param volume name of the first node's volume
 */
export const kafkaSettings = (
  { id, name, address }: KafkaNode,
  nodes: readonly KafkaNode[],
  { volume, memoryMiB }: { readonly volume: string; readonly memoryMiB: number },
): Readonly<Record<string, string>> => ({
  CLUSTER_ID: clusterId(volume),
  // The other half is for the page cache and the rest of the JVM.
  KAFKA_HEAP_OPTS: `-Xms${Math.floor(memoryMiB / 2)}m -Xmx${Math.floor(memoryMiB / 2)}m`,
  KAFKA_NODE_ID: String(id),
  KAFKA_PROCESS_ROLES: "broker,controller",
  KAFKA_LISTENERS: `INTERNAL://:${INSIDE_PORT},EXTERNAL://:${OUTSIDE_PORT},CONTROLLER://:${CONTROLLER_PORT}`,
  KAFKA_ADVERTISED_LISTENERS: `INTERNAL://${name}:${INSIDE_PORT},EXTERNAL://${address}`,
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP:
    "INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
  KAFKA_INTER_BROKER_LISTENER_NAME: "INTERNAL",
  KAFKA_CONTROLLER_LISTENER_NAMES: "CONTROLLER",
  KAFKA_CONTROLLER_QUORUM_VOTERS: votersOf(nodes),
  KAFKA_LOG_DIRS: LOG_DIRECTORY,
  // `make topics` creates the topics, so a misspelt name must fail.
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: "false",
  ...replication(nodes.length),
  // The default, 50 partitions, slows the start and gives a few brokers no benefit.
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: "8",
  KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: "8",
  // Groups have one member, so waiting for others would delay the first rows.
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: "0",
});

const votersOf = (nodes: readonly KafkaNode[]): string =>
  nodes.length === 1
    ? `1@localhost:${CONTROLLER_PORT}`
    : nodes.map(({ id, name }) => `${id}@${name}:${CONTROLLER_PORT}`).join();

/** Replicas of each topic. Of three, two must be in sync for a write, so that one broker may fail. */
function replication(nodes: number): Readonly<Record<string, string>> {
  const factor = String(nodes);
  const minInSync = nodes === 1 ? "1" : "2";
  return {
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: factor,
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: factor,
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: minInSync,
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: factor,
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: minInSync,
    // The defaults of a single broker are 1.
    ...(nodes === 1
      ? {}
      : { KAFKA_DEFAULT_REPLICATION_FACTOR: factor, KAFKA_MIN_INSYNC_REPLICAS: minInSync }),
  };
}
