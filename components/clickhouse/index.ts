import * as pulumi from "@pulumi/pulumi";
import { JOBS } from "../../dashboards/promql.ts";
import type { KafkaConnection } from "../kafka/connection.ts";
import { wgetHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { ownSecret, type SecretOutputs } from "../shared/secrets.ts";
import { Service } from "../shared/service.ts";
import { withoutWaiting } from "../shared/use.ts";
import type { ClickHouseSettings } from "./config.ts";
import { type Account, ClickHouseConnection } from "./connection.ts";
import {
  BI_USER,
  kafkaCollection,
  layersJob,
  METRICS_PORT,
  MONITOR_USER,
  SNAPSHOTS,
  serverSettings,
  snapshotsVolume,
  userSettings,
} from "./settings.ts";

/** ClickHouse in a container, or an external server. */
export interface ClickHouse {
  readonly connection: ClickHouseConnection;
  /** For an account that reads the marts. */
  readonly bi: ClickHouseConnection;
  /** Value that changes with the server: id of the container, or the address. */
  readonly serverId: pulumi.Output<string>;
  /** Value that changes with the stored data: name of the volume, or the address. */
  readonly dataId: pulumi.Output<string>;
  readonly page: Page;
  readonly scrape: readonly ScrapeJob[];
  readonly secrets: SecretOutputs;
}

interface Wiring {
  readonly network: Network;
  /** Kafka, which the server reads. */
  readonly kafka: KafkaConnection;
  /** Password of the administrator. Default: generated; an external server needs it. */
  readonly password?: pulumi.Input<string> | undefined;
  /** Passwords of the users `bi` and `monitor` of a container. Default: generated. */
  readonly biPassword?: pulumi.Input<string> | undefined;
  readonly monitorPassword?: pulumi.Input<string> | undefined;
}

type ClickHouseArgs = Wiring & ClickHouseSettings;
type ClickHouseContainerArgs = Extract<ClickHouseArgs, { mode: "container" }>;
type ExternalClickHouseArgs = Extract<ClickHouseArgs, { mode: "external" }>;

/** @param opts of a container; an external server has no resources */
export const clickhouseOf = (
  name: string,
  args: ClickHouseArgs,
  opts?: pulumi.ComponentResourceOptions,
): ClickHouse =>
  args.mode === "container"
    ? new ClickHouseContainer(name, args, opts).clickhouse
    : externalClickHouse(args);

const HTTP_PORT = 8123;
const NATIVE_PORT = 9000;
const SETTINGS = "/etc/clickhouse-server";

class ClickHouseContainer extends pulumi.ComponentResource {
  readonly clickhouse: ClickHouse;

  constructor(name: string, args: ClickHouseContainerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:ClickHouse", name, {}, opts);
    const { network, kafka, ingest } = args;
    const password = ownSecret(`${name}-password`, args.password, this);
    const bi = ownSecret(`${name}-bi-password`, args.biPassword, this);
    const monitor = ownSecret(`${name}-monitor-password`, args.monitorPassword, this);
    const http = network.publish(HTTP_PORT, args.httpPort);
    const service = new Service(
      name,
      {
        ...args,
        // A file defines the users, so the image must not create one.
        environment: { CLICKHOUSE_SKIP_USER_SETUP: "1" },
        user: "101:101",
        ports: [
          http,
          network.publish(NATIVE_PORT, args.nativePort),
          network.publish(METRICS_PORT, args.metricsPort),
        ],
        volumes: [{ name: "data", path: "/var/lib/clickhouse" }],
        // The engine creates this volume, and no resource of Pulumi can delete it.
        mounts: [
          {
            type: "volume",
            source: pulumi.output(args.snapshotsVolume ?? snapshotsVolume(network.names)),
            target: SNAPSHOTS,
            readOnly: false,
          },
        ],
        files: {
          [`${SETTINGS}/config.d/10-server.yaml`]: serverSettings(),
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
        // It connects when the tables of the topics are created.
        uses: [
          withoutWaiting(kafka.settings(`${SETTINGS}/config.d/20-kafka.yaml`, kafkaCollection)),
        ],
      },
      { parent: this },
    );
    const url = `http://${name}:${HTTP_PORT}`;
    const hostUrl = network.url(http);
    const { use } = service;
    const snapshots = { container: service.container, kept: args.snapshotsKept };
    const server = { url, hostUrl, ingest, snapshots };
    this.clickhouse = {
      connection: new ClickHouseConnection(server, { user: "default", password }, use.ready),
      bi: new ClickHouseConnection(server, { user: BI_USER, password: bi }, use.ready),
      serverId: service.containerId,
      dataId: pulumi.output(network.names.volume(`${name}-data`)),
      page: pageOf(hostUrl, "default"),
      scrape: [
        { job: JOBS.database, target: `${name}:${METRICS_PORT}`, use },
        { ...layersJob(url), login: { user: MONITOR_USER, password: monitor }, use },
      ],
      secrets: {
        clickhousePassword: password,
        clickhouseBiPassword: bi,
        clickhouseMonitorPassword: monitor,
      },
    };
    this.registerOutputs({ serverId: service.containerId });
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
  password: given,
}: ExternalClickHouseArgs): ClickHouse {
  if (given === undefined) throw new Error("An external ClickHouse needs a password");
  const password = pulumi.secret(given);
  const account: Account = { user, password };
  const connection = new ClickHouseConnection({ url, hostUrl, ingest }, account, []);
  return {
    connection,
    bi: connection,
    serverId: pulumi.output(hostUrl),
    dataId: pulumi.output(hostUrl),
    page: { ...pageOf(hostUrl, user), isExternal: true },
    scrape: [{ ...layersJob(url), login: account, use: { ready: [] } }],
    secrets: { clickhousePassword: password },
  };
}
