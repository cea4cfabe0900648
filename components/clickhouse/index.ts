import * as pulumi from "@pulumi/pulumi";
import { JOBS } from "../../dashboards/promql.ts";
import { type KafkaConnection, textFor } from "../kafka/connection.ts";
import type { Limits } from "../shared/docker-traps.ts";
import { wgetHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import {
  type ConfiguredSecrets,
  configuredSecret,
  ownSecret,
  type SecretOutputs,
} from "../shared/secrets.ts";
import { Service } from "../shared/service.ts";
import type { Account, ClickHouseConnection } from "./connection.ts";
import {
  BI_USER,
  kafkaCollection,
  layersJob,
  METRICS_PORT,
  MONITOR_USER,
  serverSettings,
  userSettings,
} from "./settings.ts";

/** ClickHouse in a container, or an external server. */
export interface ClickHouse {
  readonly connection: ClickHouseConnection;
  /** Account that reads the marts. */
  readonly bi: Account;
  /** Value that changes with the server: id of the container, or the address. */
  readonly serverId: pulumi.Output<string>;
  readonly page: Page;
  readonly scrape: readonly ScrapeJob[];
  readonly secrets: SecretOutputs;
}

interface Common {
  readonly ingest: ClickHouseConnection["ingest"];
  readonly secrets: ConfiguredSecrets;
}

interface ClickHouseContainerArgs extends Limits, Common {
  readonly mode: "container";
  readonly network: Network;
  readonly image: string;
  /** Kafka, which the server reads. */
  readonly kafka: KafkaConnection;
  /** Ports on this machine, without the stack's offset. */
  readonly httpPort: number;
  readonly nativePort: number;
  readonly metricsPort: number;
}

interface ExternalClickHouseArgs extends Common {
  readonly mode: "external";
  /** Address for containers. */
  readonly url: string;
  /** Address for this machine; default: `url`. */
  readonly hostUrl?: string | undefined;
  readonly user: string;
}

type ClickHouseArgs = (
  | Omit<ClickHouseContainerArgs, "network" | "kafka">
  | ExternalClickHouseArgs
) &
  Pick<ClickHouseContainerArgs, "network" | "kafka">;

export const clickhouseOf = (name: string, args: ClickHouseArgs): ClickHouse =>
  args.mode === "container" ? new ClickHouseContainer(name, args) : externalClickHouse(args);

const HTTP_PORT = 8123;
const NATIVE_PORT = 9000;
const SETTINGS = "/etc/clickhouse-server";

class ClickHouseContainer extends pulumi.ComponentResource implements ClickHouse {
  readonly connection: ClickHouseConnection;
  readonly bi: Account;
  readonly serverId: pulumi.Output<string>;
  readonly page: Page;
  readonly scrape: readonly ScrapeJob[];
  readonly secrets: SecretOutputs;

  constructor(name: string, args: ClickHouseContainerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:ClickHouse", name, {}, opts);
    const { network, image, memoryMiB, cpus, kafka, ingest, secrets: configured } = args;
    const password = ownSecret("clickhousePassword", configured, this);
    const bi = ownSecret("clickhouseBiPassword", configured, this);
    const monitor = ownSecret("clickhouseMonitorPassword", configured, this);
    const http = network.publish(HTTP_PORT, args.httpPort);
    const service = new Service(
      name,
      {
        ...{ network, image, memoryMiB, cpus },
        // A file defines the users, so the image must not create one.
        environment: { CLICKHOUSE_SKIP_USER_SETUP: "1" },
        user: "101:101",
        ports: [
          http,
          network.publish(NATIVE_PORT, args.nativePort),
          network.publish(METRICS_PORT, args.metricsPort),
        ],
        volumes: [{ name: "data", path: "/var/lib/clickhouse" }],
        files: {
          [`${SETTINGS}/config.d/10-server.yaml`]: serverSettings(),
          [`${SETTINGS}/config.d/20-kafka.yaml`]: textFor(kafka, kafkaCollection),
          [`${SETTINGS}/users.d/users.yaml`]: pulumi
            .all([password, bi, monitor])
            .apply((passwords) => userSettings(...passwords)),
        },
        health: wgetHealth(HTTP_PORT, "/ping", {
          everySeconds: 2,
          timeoutSeconds: 5,
          unhealthyAfterSeconds: 60,
        }),
        graceSeconds: 60,
      },
      { parent: this },
    );
    const inside = `http://${name}:${HTTP_PORT}`;
    const outside = network.url(http);
    const ready = [service.ready];
    this.connection = { inside, outside, user: "default", password, ingest, ready };
    this.bi = { user: BI_USER, password: bi };
    this.serverId = service.containerId;
    this.page = pageOf(outside, "default");
    this.scrape = [
      { job: JOBS.database, target: `${name}:${METRICS_PORT}`, ready },
      { ...layersJob(inside), login: { user: MONITOR_USER, password: monitor }, ready },
    ];
    this.secrets = {
      clickhousePassword: password,
      clickhouseBiPassword: bi,
      clickhouseMonitorPassword: monitor,
    };
    this.registerOutputs({ serverId: this.serverId });
  }
}

const pageOf = (url: string, user: string): Page => ({
  title: "ClickHouse",
  url: `${url}/play`,
  user,
  isTool: true,
});

/** An external server has only its configured user. */
function externalClickHouse({
  url,
  hostUrl = url,
  user,
  ingest,
  secrets,
}: ExternalClickHouseArgs): ClickHouse {
  const password = configuredSecret("clickhousePassword", secrets);
  const account = { user, password };
  return {
    connection: { inside: url, outside: hostUrl, ...account, ingest, ready: [] },
    bi: account,
    serverId: pulumi.output(hostUrl),
    page: { ...pageOf(hostUrl, user), isExternal: true },
    scrape: [{ ...layersJob(url), login: account, ready: [] }],
    secrets: { clickhousePassword: password },
  };
}
