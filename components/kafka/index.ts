import * as pulumi from "@pulumi/pulumi";
import type { HealthCheck } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import { Service } from "../shared/service.ts";
import { joined } from "../shared/use.ts";
import type { KafkaSettings } from "./config.ts";
import { KafkaConnection } from "./connection.ts";
import { INSIDE_PORT, kafkaSettings, LOG_DIRECTORY, OUTSIDE_PORT } from "./settings.ts";

/** Kafka in containers, or an external cluster. */
export interface Kafka {
  readonly connection: KafkaConnection;
  /** Value that changes with the brokers: ids of the containers, or the address. */
  readonly serverId: pulumi.Output<string>;
  readonly page: Page;
}

interface Wiring {
  readonly network: Network;
  /** Password of the user of an external cluster, which a mechanism needs. Default: none. */
  readonly password?: pulumi.Input<string> | undefined;
}

type KafkaArgs = Wiring & KafkaSettings;
type KafkaContainersArgs = Extract<KafkaArgs, { mode: "container" }>;
type ExternalKafkaArgs = Extract<KafkaArgs, { mode: "external" }>;

/** @param opts of containers; an external cluster has no resources */
export const kafkaOf = (
  name: string,
  args: KafkaArgs,
  opts?: pulumi.ComponentResourceOptions,
): Kafka =>
  args.mode === "container" ? new KafkaContainers(name, args, opts).kafka : externalKafka(args);

const UID = 1000;

/** Without it, a folder in memory belongs to root. */
const OWNED = `uid=${UID}`;

class KafkaContainers extends pulumi.ComponentResource {
  readonly kafka: Kafka;

  constructor(name: string, args: KafkaContainersArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Kafka", name, {}, opts);
    const { network, memoryMiB } = args;
    const nodes = (args.nodes === 1 ? [1] : [1, 2, 3]).map((id) => {
      const port = network.publish(OUTSIDE_PORT, args.port + id - 1);
      const node = { id, name: id === 1 ? name : `${name}-${id}`, address: network.address(port) };
      return { ...node, port };
    });
    // Other volumes than a single broker's, whose topics have one replica.
    const volume = args.nodes === 1 ? "data" : "replicated-data";
    const settings = { volume: network.names.volume(`${name}-${volume}`), memoryMiB };
    const services = nodes.map(
      (node) =>
        new Service(
          node.name,
          {
            ...args,
            health,
            environment: kafkaSettings(node, nodes, settings),
            user: `${UID}:${UID}`,
            ports: [node.port],
            volumes: [{ name: volume, path: LOG_DIRECTORY }],
            // The image writes its settings and logs there, and loads libraries for compression.
            tmpfs: { "/opt/kafka/config": OWNED, "/opt/kafka/logs": OWNED, "/tmp": "exec" },
            graceSeconds: 60,
          },
          { parent: this },
        ),
    );
    const hostBootstrap = nodes.map(({ address }) => address).join();
    const ids = pulumi.all(services.map(({ containerId }) => containerId));
    this.kafka = {
      connection: new KafkaConnection(
        {
          bootstrap: nodes.map((node) => `${node.name}:${INSIDE_PORT}`).join(),
          hostBootstrap,
          tls: null,
          sasl: null,
        },
        joined(services.map(({ use }) => use)).ready,
      ),
      serverId: ids.apply((all) => all.join()),
      page: { title: "Kafka", url: hostBootstrap },
    };
    this.registerOutputs({ serverId: this.kafka.serverId });
  }
}

const health: HealthCheck = {
  // An open port is enough: a Kafka client would start a JVM, and dependants check the protocol.
  test: ["CMD", "bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${INSIDE_PORT}`],
  everySeconds: 2,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 60,
};

function externalKafka({
  bootstrap,
  hostBootstrap = bootstrap,
  security: { tls, ca, mechanism, username },
  password,
}: ExternalKafkaArgs): Kafka {
  const hasLogin = mechanism && username && password;
  return {
    connection: new KafkaConnection(
      {
        bootstrap,
        hostBootstrap,
        tls: tls ? { ...(ca === undefined ? {} : { ca }) } : null,
        sasl: hasLogin ? { mechanism, username, password: pulumi.secret(password) } : null,
      },
      [],
    ),
    serverId: pulumi.output(hostBootstrap),
    page: { title: "Kafka", url: hostBootstrap, isExternal: true },
  };
}
