import * as pulumi from "@pulumi/pulumi";
import { overview } from "../../superset/dashboards/overview.ts";
import type { Schema } from "../clickhouse/schema.ts";
import type { KeyPair } from "../encryption-keys.ts";
import type { Postgres } from "../postgres/index.ts";
import { builtImage } from "../shared/built-image.ts";
import { pipelineCommand } from "../shared/commands.ts";
import { contentDigest } from "../shared/digest.ts";
import { httpHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import { ownSecret, type SecretOutputs } from "../shared/secrets.ts";
import { SECRET_FILES, Service } from "../shared/service.ts";
import { joined, type Use } from "../shared/use.ts";
import type { SupersetSettings } from "./config.ts";

const PORT = 8088;
const ADMIN = "admin";

/** Files with the assets; the columns of the datasets come from the contract and the schema. */
export const CONTENT = ["superset", "contract", "sql/schema.json"];

export interface SupersetArgs extends SupersetSettings {
  readonly network: Network;
  readonly postgres: Postgres;
  /** Key of the sessions and the stored passwords. */
  readonly key: KeyPair;
  /** Password of the database's owner. Default: generated. */
  readonly databasePassword?: pulumi.Input<string> | undefined;
  readonly adminPassword: pulumi.Output<string>;
  /** ClickHouse with all tables. */
  readonly clickhouse: Pick<Schema, "bi" | "client" | "digest">;
}

/** Superset with its datasets, charts and dashboard. */
export class Superset extends pulumi.ComponentResource {
  readonly client: Use;
  readonly page: Page;
  readonly secrets: SecretOutputs;

  constructor(name: string, args: SupersetArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Superset", name, {}, opts);
    const { network, clickhouse, key } = args;
    const password = ownSecret(`${name}-database-password`, args.databasePassword, this);
    const database = args.postgres.createDatabase(name, password, this);
    const dockerfile = "superset/Dockerfile";
    const port = network.publish(PORT, args.port);
    const service = new Service(
      name,
      {
        ...args,
        image: builtImage(name, { network, dockerfile, base: args.image }, this),
        environment: {
          EVENT_PIPELINE_SECRETS: SECRET_FILES,
          SUPERSET_METADATA_URI: `postgresql+psycopg2://${database.name}@${database.address}/${database.name}`,
        },
        user: "1000:1000",
        ports: [port],
        files: {
          [`${SECRET_FILES}/secret-key`]: key.current,
          ...(key.previous ? { [`${SECRET_FILES}/previous-secret-key`]: key.previous } : {}),
          [`${SECRET_FILES}/admin-password`]: args.adminPassword,
          [`${SECRET_FILES}/metadata-password`]: password,
        },
        health: httpHealth(PORT, "/health", {
          times: { everySeconds: 3, timeoutSeconds: 5, unhealthyAfterSeconds: 180 },
        }),
        graceSeconds: 15,
        uses: [database.use],
      },
      { parent: this },
    );
    const url = network.url(port);
    const account = { SUPERSET_URL: url, SUPERSET_PASSWORD: args.adminPassword };
    this.client = joined([{ environment: account, ...service.use }, clickhouse.bi.dataSource]);
    pipelineCommand(
      `${name}-assets`,
      {
        pipeline: ["bi-init"],
        timeoutSeconds: 600,
        uses: [clickhouse.client, this.client],
        triggers: [contentDigest(...CONTENT), args.postgres.serverId, clickhouse.digest],
      },
      this,
    );
    this.page = {
      title: "Superset",
      url,
      user: ADMIN,
      isTool: true,
      first: { url: `${url}/superset/dashboard/${overview.slug}/`, shows: "what visitors do" },
    };
    this.secrets = { supersetDatabasePassword: password };
    this.registerOutputs({ url: this.page.url });
  }
}
