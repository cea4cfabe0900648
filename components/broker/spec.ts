import { clusterId } from "../shared/names.ts";
import {
  commonSpec,
  hostName,
  imageOf,
  type Placement,
  plannedVolume,
  publish,
} from "../shared/placement.ts";
import {
  type Address,
  type ClientAccess,
  type ContainerSpec,
  type HealthCheck,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type BrokerConfig, brokerConfig, brokerData } from "./config.ts";
import { type BrokerEndpoint, brokerClientEnvironment } from "./endpoint.ts";

// `--wait`: the provider waits for a broker that it creates, but not after a restart.
export const TOPICS_COMMANDS = ["topics --wait 60"];

const ALIAS = "kafka";
const INSIDE_PORT = 29_092;
const HOST_PORT = 9092;
const CONTROLLER_PORT = 9093;

type ExternalBroker = Extract<BrokerConfig, { mode: "external" }>;
type ContainerBroker = Extract<BrokerConfig, { mode: "container" }>;

interface StoredClusterId {
  readonly volume: string;
  readonly file: string;
  readonly clusterId: string;
}

export interface BrokerPlan extends ServiceSpec {
  readonly endpoint: BrokerEndpoint;
  readonly address: Address;
  readonly client: ClientAccess;
  readonly service: ServicePlan | null;
  /** File in the container with the cluster id of its volume; null for an external broker. */
  readonly storedClusterId: StoredClusterId | null;
}

export function planBroker(config: BrokerConfig, at: Placement): BrokerPlan {
  const plan =
    config.mode === "external"
      ? { endpoint: externalEndpoint(config), service: null, storedClusterId: null }
      : containerPlan(config, at);
  const { endpoint } = plan;
  return {
    ...plan,
    address: { title: "Kafka", url: endpoint.host, isTool: false },
    client: {
      environment: brokerClientEnvironment(endpoint, "host"),
      secrets: endpoint.security.sasl ? { KAFKA_SASL_PASSWORD: "brokerPassword" } : {},
    },
  };
}

function externalEndpoint(broker: ExternalBroker): BrokerEndpoint {
  const { tls, ca, mechanism, username } = broker.security;
  const sasl = mechanism && username ? { mechanism, username } : null;
  return {
    inside: broker.bootstrap,
    host: broker.hostBootstrap ?? broker.bootstrap,
    security: { tls: tls ? { ...(ca === undefined ? {} : { ca }) } : null, sasl },
  };
}

function containerPlan(
  config: ContainerBroker,
  at: Placement,
): Pick<BrokerPlan, "endpoint" | "service" | "storedClusterId"> {
  const port = publish(at, "broker.port", HOST_PORT, config.port);
  const endpoint: BrokerEndpoint = {
    inside: `${ALIAS}:${INSIDE_PORT}`,
    host: `${hostName(at)}:${port.host}`,
    security: { tls: null, sasl: null },
  };
  const data = plannedVolume(at, brokerData);
  const container: ContainerSpec = {
    ...commonSpec,
    role: "broker",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(at, brokerConfig.images, "broker"),
    environment: brokerSettings(data.volume, endpoint.host, config.memoryMiB),
    user: "1000:1000",
    ports: [port],
    health,
    memoryMiB: config.memoryMiB,
    measuredMiB: 396,
    cpus: config.cpus,
    graceSeconds: 60,
  };
  return {
    endpoint,
    storedClusterId: {
      volume: data.volume,
      file: `${data.path}/meta.properties`,
      clusterId: clusterId(data.volume),
    },
    service: servicePlan({ container, volumes: [data] }),
  };
}

const health: HealthCheck = {
  // An open port is enough: a Kafka client would start a JVM, and dependants check the protocol.
  test: ["CMD", "bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${INSIDE_PORT}`],
  everySeconds: 2,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
};

/** Environment of the official image, which turns `KAFKA_LOG_DIRS` into the setting `log.dirs`. */
const brokerSettings = (volume: string, host: string, memoryMiB: number) => ({
  CLUSTER_ID: clusterId(volume),
  // The other half is for the page cache and the rest of the JVM.
  KAFKA_HEAP_OPTS: `-Xms${Math.floor(memoryMiB / 2)}m -Xmx${Math.floor(memoryMiB / 2)}m`,
  KAFKA_NODE_ID: "1",
  KAFKA_PROCESS_ROLES: "broker,controller",
  KAFKA_LISTENERS: `INTERNAL://:${INSIDE_PORT},EXTERNAL://:${HOST_PORT},CONTROLLER://:${CONTROLLER_PORT}`,
  KAFKA_ADVERTISED_LISTENERS: `INTERNAL://${ALIAS}:${INSIDE_PORT},EXTERNAL://${host}`,
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP:
    "INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
  KAFKA_INTER_BROKER_LISTENER_NAME: "INTERNAL",
  KAFKA_CONTROLLER_LISTENER_NAMES: "CONTROLLER",
  KAFKA_CONTROLLER_QUORUM_VOTERS: `1@localhost:${CONTROLLER_PORT}`,
  KAFKA_LOG_DIRS: brokerData.path,
  // `make topics` creates the topics, so a misspelt name must fail.
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: "false",
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: "1",
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: "1",
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: "1",
  KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: "1",
  KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: "1",
  // The default, 50 partitions, slows the start and gives a single broker no benefit.
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: "8",
  KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: "8",
  // Groups have one member, so waiting for others would delay the first rows.
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: "0",
});
