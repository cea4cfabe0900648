import { type Admin, metadataV12 } from "@platformatic/kafka";
import { freePorts, TestBroker } from "./broker.ts";
import { waitFor } from "./harness.ts";

/** Each topic has three replicas, of which two must be in sync for a write: one broker may fail. */
const THREE_COPIES = {
  "default.replication.factor": "3",
  "min.insync.replicas": "2",
  "offsets.topic.replication.factor": "3",
  "transaction.state.log.replication.factor": "3",
  "transaction.state.log.min.isr": "2",
} as const;

/** One or three Apache Kafka nodes on this machine; each is broker and controller. */
export class BrokerCluster {
  readonly nodes: readonly TestBroker[];

  private constructor(nodes: readonly TestBroker[]) {
    this.nodes = nodes;
  }

  /** Starts the nodes; retries on other ports if one is taken meanwhile. */
  static async start(brokers: 1 | 3): Promise<BrokerCluster> {
    if (brokers === 1) return new BrokerCluster([await TestBroker.start()]);
    const cluster = await BrokerCluster.#prepare();
    try {
      await cluster.#startAll();
      return cluster;
    } catch (error) {
      await cluster.stop();
      if (!String(error).includes("Address already in use")) throw error;
    }
    const other = await BrokerCluster.#prepare();
    await other.#startAll();
    return other;
  }

  static async #prepare(): Promise<BrokerCluster> {
    const ports = await freePorts(3);
    const voters = ports.map(([, port], index) => `${index + 1}@127.0.0.1:${port}`).join();
    const nodes = ports.map((own, index) =>
      TestBroker.node(index + 1, own, {
        ...THREE_COPIES,
        "node.id": String(index + 1),
        "controller.quorum.voters": voters,
      }),
    );
    return new BrokerCluster(nodes);
  }

  /** All at once, because a node answers only after a majority has elected a controller. */
  async #startAll(): Promise<void> {
    const started = await Promise.allSettled(this.nodes.map((node) => node.restart()));
    for (const result of started) if (result.status === "rejected") throw result.reason;
  }

  /** Addresses of all nodes, joined by commas. */
  get bootstrap(): string {
    return this.nodes.map(({ bootstrap }) => bootstrap).join();
  }

  /** Waits until every replica of every partition is in sync, also of Kafka's own topics. */
  async inSync(admin: Admin): Promise<void> {
    const [, port] = this.bootstrap.split(/[:,]/);
    const isInSync = async () => {
      const connection = await admin.connections.get({ host: "127.0.0.1", port: Number(port) });
      const { topics } = await metadataV12.api.async(connection, null, false, false);
      return topics
        .flatMap(({ partitions }) => partitions)
        .every(({ leaderId, isrNodes, replicaNodes }) => {
          return leaderId >= 0 && isrNodes.length === replicaNodes.length;
        });
    };
    await waitFor("all replicas are in sync", () => isInSync().catch(() => false), 240_000);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
