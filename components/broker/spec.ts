import { commonSpec, hostName, imageOf, type PlanContext, publish } from "../shared/context.ts";
import type { BrokerEndpoint } from "../shared/endpoints.ts";
import { clusterId } from "../shared/names.ts";
import type { ContainerSpec, HealthCheck, ServicePlan, ServiceSpec } from "../shared/spec.ts";
import { brokerConfig } from "./config.ts";

const ALIAS = "kafka";
const INSIDE_PORT = 29_092;
const HOST_PORT = 9092;
const CONTROLLER_PORT = 9093;
const DATA = "/var/lib/kafka/data";

type BrokerConfig = PlanContext["config"]["broker"];
type ExternalBroker = Extract<BrokerConfig, { mode: "external" }>;
type ContainerBroker = Extract<BrokerConfig, { mode: "container" }>;

export interface BrokerPlan extends ServiceSpec {
  readonly endpoint: BrokerEndpoint;
  readonly service: ServicePlan | null;
}

export function planBroker(context: PlanContext): BrokerPlan {
  const { broker } = context.config;
  const plan =
    broker.mode === "external"
      ? { endpoint: externalEndpoint(broker), service: null }
      : containerPlan(context, broker);
  return { ...plan, address: { title: "Kafka", url: plan.endpoint.host, isTool: false } };
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

function containerPlan(context: PlanContext, broker: ContainerBroker): BrokerPlan {
  const port = publish(context, "broker.port", HOST_PORT, broker.port);
  const endpoint: BrokerEndpoint = {
    inside: `${ALIAS}:${INSIDE_PORT}`,
    host: `${hostName(context)}:${port.host}`,
    security: { tls: null, sasl: null },
  };
  const volume = context.names.volume("kafka-data");
  const container: ContainerSpec = {
    ...commonSpec,
    role: "broker",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: imageOf(context, brokerConfig.images, "broker"),
    environment: brokerSettings(volume, endpoint.host, broker.memoryMiB),
    user: "1000:1000",
    ports: [port],
    mounts: [{ volume, path: DATA, readOnly: false }],
    health,
    memoryMiB: broker.memoryMiB,
    measuredMiB: 396,
    cpus: broker.cpus,
    graceSeconds: 60,
  };
  return {
    endpoint,
    service: { container, configs: [], dataVolumes: [{ role: "data", volume }] },
  };
}

const health: HealthCheck = {
  // Opening the port starts no JVM; dependants that need more check the protocol themselves.
  test: ["CMD", "bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${INSIDE_PORT}`],
  everySeconds: 2,
  timeoutSeconds: 5,
  patienceSeconds: 60,
};

/** `KAFKA_LOG_DIRS` becomes `log.dirs` in the official image, and so on. */
const brokerSettings = (volume: string, host: string, memoryMiB: number) => ({
  CLUSTER_ID: clusterId(volume),
  // Half for the heap; the rest is for the page cache and the JVM.
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
  KAFKA_LOG_DIRS: DATA,
  // Topics are declared, so a misspelt name must fail.
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: "false",
  KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: "1",
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: "1",
  KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: "1",
  KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: "1",
  KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: "1",
  // The default of 50 partitions each only slows the start of a single broker.
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: "8",
  KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: "8",
  // Groups have one member, so waiting for others would only delay the first rows.
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: "0",
});
