import * as pulumi from "@pulumi/pulumi";
import type { KafkaConnection } from "../kafka/connection.ts";
import { pipelineCommand } from "../shared/commands.ts";
import { contentDigest, fileDigests } from "../shared/digest.ts";
import type { Page } from "../shared/page.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import type { SecretOutputs } from "../shared/secrets.ts";
import { joined, type Use } from "../shared/use.ts";
import type { ClickHouseConnection } from "./connection.ts";
import type { ClickHouse } from "./index.ts";

export interface SchemaArgs {
  readonly clickhouse: ClickHouse;
  /** Kafka with all topics, whose epoch the tables hold. */
  readonly kafka: KafkaConnection;
  /** How long layers keep a session, days. */
  readonly kept: { readonly keepOdsDays: number; readonly keepMartsDays: number };
}

const DDL = "sql/ddl";

/** Files with the tables; columns without a COMMENT have that of the contract. Live views type messages as a load does. */
export const CONTENT = [
  DDL,
  "sql/live",
  "sql/etl/load_ods",
  "sql/etl/plan.yaml",
  "sql/schema.json",
  "contract",
];

/** ClickHouse with the tables of all layers and the epoch of the topics; idempotent. */
export class Schema extends pulumi.ComponentResource {
  readonly connection: ClickHouseConnection;
  readonly bi: ClickHouseConnection;
  readonly page: Page;
  readonly scrape: readonly ScrapeJob[];
  readonly secrets: SecretOutputs;
  /** Reaches Kafka with all topics, too. */
  readonly client: Use;
  /** Value that changes with the tables. */
  readonly digest = contentDigest(...CONTENT);

  constructor(name: string, args: SchemaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Schema", name, {}, opts);
    const { clickhouse, kafka, kept } = args;
    const applied = pipelineCommand(
      name,
      {
        // The second command registers the epoch of the topics in the tables of the first.
        pipeline: [
          "ddl",
          "topics",
          `retain --ods ${kept.keepOdsDays} --marts ${kept.keepMartsDays} --later`,
        ],
        timeoutSeconds: 600,
        uses: [kafka.client, clickhouse.connection.client],
        triggers: [this.digest, clickhouse.serverId, fileDigests(DDL)],
      },
      this,
    );
    const { connection, scrape } = clickhouse;
    this.connection = connection.after(applied);
    this.bi = clickhouse.bi.after(applied);
    this.page = clickhouse.page;
    this.scrape = scrape.map((job) => ({
      ...job,
      use: joined([job.use, { ready: [applied] }]),
    }));
    this.secrets = clickhouse.secrets;
    this.client = joined([kafka.client, this.connection.client]);
    this.registerOutputs({ applied: applied.id });
  }
}
