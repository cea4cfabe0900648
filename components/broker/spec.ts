import { clusterId } from "../shared/names.ts";
import type { Placement } from "../shared/placement.ts";
import type { Address, ClientAccess, ServicePlan, ServiceSpec } from "../shared/spec.ts";
import type { BrokerConfig } from "./config.ts";
import { type BrokerEndpoint, brokerClientEnvironment } from "./endpoint.ts";
import { type ContainerBroker, INSIDE_PORT, nodesOf, planNode } from "./node.ts";

// `--wait`: the provider waits for a broker that it creates, but not after a restart.
export const TOPICS_COMMANDS = ["topics --wait 60"];

type ExternalBroker = Extract<BrokerConfig, { mode: "external" }>;

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
  /** The second and third broker. */
  readonly companions: readonly ServicePlan[];
  /** File in the container with the cluster id of its volume; null for an external broker. */
  readonly storedClusterId: StoredClusterId | null;
}

export function planBroker(config: BrokerConfig, at: Placement): BrokerPlan {
  const plan =
    config.mode === "external"
      ? {
          endpoint: externalEndpoint(config),
          companions: [],
          service: null,
          storedClusterId: null,
        }
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
): Pick<BrokerPlan, "endpoint" | "service" | "companions" | "storedClusterId"> {
  const nodes = nodesOf(config, at);
  const [first, ...others] = nodes.map((node) => planNode(node, nodes, config, at));
  const [{ data }] = nodes;
  return {
    endpoint: {
      inside: nodes.map(({ alias }) => `${alias}:${INSIDE_PORT}`).join(),
      host: nodes.map(({ host }) => host).join(),
      security: { tls: null, sasl: null },
    },
    storedClusterId: {
      volume: data.volume,
      file: `${data.path}/meta.properties`,
      clusterId: clusterId(data.volume),
    },
    service: first ?? null,
    companions: others,
  };
}
