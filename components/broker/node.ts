import { clusterId } from "../shared/names.ts";
import {
  commonSpec,
  hostName,
  imageOf,
  type Placement,
  plannedVolume,
  publish,
} from "../shared/placement.ts";
import type { DataVolume } from "../shared/service-config.ts";
import {
  type ContainerSpec,
  type HealthCheck,
  type PlannedVolume,
  type PublishedPort,
  type ServicePlan,
  servicePlan,
} from "../shared/spec.ts";
import { type BrokerConfig, brokerConfig, brokerData, nodeData } from "./config.ts";

const ALIAS = "kafka";
export const INSIDE_PORT = 29_092;
const HOST_PORT = 9092;
const CONTROLLER_PORT = 9093;

export type ContainerBroker = Extract<BrokerConfig, { mode: "container" }>;

/** One broker, which is also a controller. */
export interface BrokerNode {
  readonly id: number;
  readonly alias: string;
  readonly port: PublishedPort;
  /** Address for clients on this machine. */
  readonly host: string;
  readonly data: PlannedVolume;
}

type Nodes = readonly [BrokerNode, ...BrokerNode[]];

export function nodesOf({ nodes, port }: ContainerBroker, at: Placement): Nodes {
  const node = (id: number): BrokerNode => {
    const published = publish(at, "broker.port", HOST_PORT, port + id - 1, "kafka");
    return {
      id,
      alias: id === 1 ? ALIAS : `${ALIAS}-${id}`,
      port: published,
      host: `${hostName(at)}:${published.host}`,
      data: plannedVolume(at, nodes === 1 ? brokerData : dataOfNode(id)),
    };
  };
  return nodes === 1 ? [node(1)] : [node(1), node(2), node(3)];
}

/** Volume `broker-<id>-data` of a resource `broker` or `broker-<id>`. */
function dataOfNode(id: number): DataVolume {
  const declared = nodeData[id - 1];
  if (!declared) throw new Error(`broker ${id} has no volume`);
  return id === 1 ? declared : { ...declared, role: brokerData.role };
}

export function planNode(
  node: BrokerNode,
  nodes: Nodes,
  { memoryMiB, cpus }: ContainerBroker,
  at: Placement,
): ServicePlan {
  const container: ContainerSpec = {
    ...commonSpec,
    role: node.id === 1 ? "broker" : `broker-${node.id}`,
    name: at.names.container(node.alias),
    alias: node.alias,
    image: imageOf(at, brokerConfig.images, "broker"),
    environment: brokerSettings(node, nodes, memoryMiB),
    user: "1000:1000",
    ports: [node.port],
    health,
    memoryMiB,
    measuredMiB: 396,
    cpus,
    graceSeconds: 60,
  };
  return servicePlan({ container, volumes: [node.data] });
}

const health: HealthCheck = {
  // An open port is enough: a Kafka client would start a JVM, and dependants check the protocol.
  test: ["CMD", "bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${INSIDE_PORT}`],
  everySeconds: 2,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
};

/** Environment of the official image, which turns `KAFKA_LOG_DIRS` into the setting `log.dirs`. */
const brokerSettings = ({ id, alias, host }: BrokerNode, nodes: Nodes, memoryMiB: number) => ({
  CLUSTER_ID: clusterId(nodes[0].data.volume),
  // The other half is for the page cache and the rest of the JVM.
  KAFKA_HEAP_OPTS: `-Xms${Math.floor(memoryMiB / 2)}m -Xmx${Math.floor(memoryMiB / 2)}m`,
  KAFKA_NODE_ID: String(id),
  KAFKA_PROCESS_ROLES: "broker,controller",
  KAFKA_LISTENERS: `INTERNAL://:${INSIDE_PORT},EXTERNAL://:${HOST_PORT},CONTROLLER://:${CONTROLLER_PORT}`,
  KAFKA_ADVERTISED_LISTENERS: `INTERNAL://${alias}:${INSIDE_PORT},EXTERNAL://${host}`,
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP:
    "INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
  KAFKA_INTER_BROKER_LISTENER_NAME: "INTERNAL",
  KAFKA_CONTROLLER_LISTENER_NAMES: "CONTROLLER",
  KAFKA_CONTROLLER_QUORUM_VOTERS: votersOf(nodes),
  KAFKA_LOG_DIRS: brokerData.path,
  // `make topics` creates the topics, so a misspelt name must fail.
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: "false",
  ...replication(nodes.length),
  // The default, 50 partitions, slows the start and gives a few brokers no benefit.
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: "8",
  KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: "8",
  // Groups have one member, so waiting for others would delay the first rows.
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: "0",
});

const votersOf = (nodes: Nodes): string =>
  nodes.length === 1
    ? `1@localhost:${CONTROLLER_PORT}`
    : nodes.map(({ id, alias }) => `${id}@${alias}:${CONTROLLER_PORT}`).join();

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
