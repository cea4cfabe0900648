import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { Bi } from "../../../components/bi/index.ts";
import { Broker } from "../../../components/broker/index.ts";
import { Topics } from "../../../components/broker/topics.ts";
import { Dashboards } from "../../../components/dashboards/index.ts";
import { Database } from "../../../components/database/index.ts";
import { Schema } from "../../../components/database/schema.ts";
import { Generator } from "../../../components/generator/index.ts";
import { Ingest } from "../../../components/ingest/index.ts";
import { Live } from "../../../components/live/index.ts";
import { planLive } from "../../../components/live/spec.ts";
import { Metrics } from "../../../components/metrics/index.ts";
import { StackNetwork } from "../../../components/network/index.ts";
import { Postgres } from "../../../components/postgres/index.ts";
import type { Secrets } from "../../../components/resources/secret.ts";
import type { StackContext } from "../../../components/resources/service.ts";
import { SharedSecrets } from "../../../components/resources/shared-secrets.ts";
import type { Client } from "../../../components/resources/stack-command.ts";
import { Scheduler } from "../../../components/scheduler/index.ts";
import { planStack } from "../../../components/services.ts";
import { stackNames } from "../../../components/shared/names.ts";
import { planContext } from "./context.ts";
import { recordComponents, testSecrets } from "./record.ts";

const external = {
  mode: "external",
  bootstrap: "b.example:9094",
  security: { mechanism: "PLAIN", username: "pipeline" },
};
const planned = planContext();
const plan = planStack(planned);
const ofCluster = planStack(planContext({ broker: external }, {}, "dev", ["brokerPassword"]));
const withIngest = planStack(planContext({ database: { ingest: "service" } }));

function deployed<T>(service: T | null): T {
  if (service === null) throw new Error("the default configuration deploys every service");
  return service;
}

/** Creates every component with plain inputs, so that none needs another component. */
function components(): pulumi.ComponentResource[] {
  const secrets = Object.fromEntries(
    Object.entries(testSecrets).map(([name, value]) => [name, pulumi.secret(value)]),
  ) as Record<keyof typeof testSecrets, pulumi.Output<string>>;
  const { brokerPassword } = secrets;
  const context: StackContext = {
    stack: "dev",
    labels: [],
    configured: new Map([["brokerPassword", brokerPassword]]),
    digest: (text) => pulumi.unsecret(pulumi.output(text).apply(() => "digest")),
    network: pulumi.output("network-id"),
    protectData: true,
  };
  const clients: Client[] = [
    { environment: { PLAIN: "1" }, secretEnvironment: { PASSWORD: brokerPassword } },
  ];
  const common = { context, secrets, dependsOn: [] };
  return [
    new StackNetwork("network", { names: stackNames("dev"), labels: [] }),
    new SharedSecrets("shared", { configured: new Map() }),
    new Broker("broker", { plan: plan.broker, context }),
    new Broker("cluster", { plan: ofCluster.broker, context }),
    new Topics("topics", { clients, brokerId: "id", dependsOn: [] }),
    new Database("database", { plan: plan.database, context, brokerSecrets: secrets }),
    new Schema("schema", {
      ...{ context, clients, databaseId: "id", topicsVersion: "1" },
      ...{ brokerPassword, dependsOn: [] },
    }),
    new Ingest("ingest", { plan: deployed(withIngest.ingest), ...common }),
    new Generator("generator", {
      ...{ plan: deployed(plan.generator), context, brokerSecrets: secrets, dependsOn: [] },
    }),
    new Postgres("postgres", { plan: deployed(plan.postgres), context }),
    new Scheduler("scheduler", {
      ...{ plan: deployed(plan.scheduler), ...common, databasesVersion: "1" },
    }),
    new Bi("bi", { plan: deployed(plan.bi), ...common, clients, schemaVersion: "1" }),
    new Live("live", {
      ...{ plan: planLive(planned.config), clients, triggers: ["1"] },
      ...{ metadataServerId: "id", dependsOn: [] },
    }),
    new Metrics("metrics", { plan: deployed(plan.metrics), ...common }),
    new Dashboards("dashboards", {
      ...{ plan: deployed(plan.dashboards), ...common, metricsClient: clients[0] as Client },
    }),
  ];
}

let created: readonly pulumi.ComponentResource[] = [];
const { children, outputs } = await recordComponents(() => {
  created = components();
});

const SECRET = "<secret>";
const client = (environment: object, secretEnvironment: object = {}) => ({
  client: { environment, secretEnvironment },
});
const run = (name: string) => ({ containerId: `${name}-service-id`, secrets: {} });

/** Child resources and registered outputs of each component. */
const EXPECTED: Readonly<Record<string, readonly [children: readonly string[], outputs: object]>> =
  {
    "StackNetwork network": [["Network network"], { networkId: "network-id" }],
    "SharedSecrets shared": [
      ["RandomPassword shared-admin-password", "RandomPassword shared-digest-key"],
      { secrets: { adminPassword: SECRET } },
    ],
    "Broker broker": [
      ["Service broker"],
      {
        ...client({ KAFKA_BOOTSTRAP_SERVERS: "localhost:9092" }),
        ...{ serverId: "broker-service-id", secrets: {} },
      },
    ],
    "Broker cluster": [
      [],
      {
        ...client(ofCluster.broker.client.environment, { KAFKA_SASL_PASSWORD: SECRET }),
        ...{ serverId: "b.example:9094", secrets: { brokerPassword: SECRET } },
      },
    ],
    "Topics topics": [["Command topics"], { version: "topics-id" }],
    "Database database": [
      [
        ...["Command database-reload", "Command database-reopen"],
        ...["RandomPassword database-bi-password", "RandomPassword database-monitor-password"],
        ...["RandomPassword database-password", "Service database"],
      ],
      {
        ...client(plan.database.client.environment, { CLICKHOUSE_PASSWORD: SECRET }),
        serverId: "database-service-id",
        secrets: { databasePassword: SECRET, biPassword: SECRET, monitorPassword: SECRET },
      },
    ],
    "Schema schema": [["Command schema"], { version: "schema-id" }],
    "Ingest ingest": [["Image ingest-image", "Service ingest"], {}],
    "Generator generator": [
      [
        ...["Command generator-ready", "Image generator-image"],
        ...["RandomPassword generator-control-token", "Service generator"],
      ],
      { ...client({ GENERATOR_URL: "http://localhost:9109" }), secrets: { controlToken: SECRET } },
    ],
    "Postgres postgres": [
      [
        ...["Command postgres-databases", "RandomPassword postgres-bi-password"],
        ...["RandomPassword postgres-bi-secret-key-1", "RandomPassword postgres-password"],
        "RandomPassword postgres-scheduler-fernet-key-1",
        ...["RandomPassword postgres-scheduler-password", "Service postgres"],
      ],
      {
        ...{ serverId: "postgres-service-id", version: "postgres-databases-id" },
        secrets: {
          ...{ postgresPassword: SECRET, schedulerDatabasePassword: SECRET },
          ...{ biDatabasePassword: SECRET, schedulerFernetKey: SECRET, biSecretKey: SECRET },
        },
      },
    ],
    "Scheduler scheduler": [
      [
        ...["ConfigVolume scheduler-secrets", "Image scheduler-image", "Job scheduler-init"],
        ...["RandomPassword scheduler-web-key", "Service scheduler", "Service scheduler-web"],
        "Volume scheduler-logs",
      ],
      {
        ...client(deployed(plan.scheduler).client.environment, { AIRFLOW_PASSWORD: SECRET }),
        secrets: { schedulerWebKey: SECRET },
      },
    ],
    "Bi bi": [
      ["Command bi-assets", "Image bi-image", "Service bi"],
      { url: "http://localhost:8088" },
    ],
    "Live live": [
      ["Command live-history", "Command live-load", "Command live-schedule"],
      { loadId: "live-load-id" },
    ],
    "Metrics metrics": [
      ["Command metrics-reload", "Service metrics"],
      client(deployed(plan.metrics).client.environment),
    ],
    "Dashboards dashboards": [
      [
        ...["Command dashboards-administrator", "Command dashboards-reload"],
        "ContactPoint dashboards-contact-point",
        ...deployed(plan.dashboards).content.dashboards.map(
          ({ uid }) => `Dashboard dashboards-${uid}`,
        ),
        ...["Folder dashboards-folder", "NotificationPolicy dashboards-policy"],
        "OrganizationPreferences dashboards-preferences",
        ...deployed(plan.dashboards).content.rules.map(
          ({ group }) => `RuleGroup dashboards-rules-${group}`,
        ),
        ...["Service dashboards", "grafana dashboards-provider"],
      ],
      { url: "http://localhost:3000" },
    ],
    "Service metrics": [
      [
        ...["ConfigVolume metrics-config", "RemoteImage metrics-image"],
        ...["ServiceContainer metrics-service", "Volume metrics-series"],
      ],
      run("metrics"),
    ],
    "ServiceContainer metrics-service": [
      ["Container metrics-service"],
      { containerId: "metrics-service-id" },
    ],
    "Job scheduler-init": [
      ["Command scheduler-init-run", "Container scheduler-init-container"],
      { runId: "scheduler-init-run-id" },
    ],
    "ConfigVolume metrics-config": [
      ["Container metrics-config-loader", "Volume metrics-config"],
      {
        ...{ role: "config", loaderId: "metrics-config-loader-id" },
        mount: {
          ...{ type: "volume", target: "/etc/prometheus", readOnly: true },
          source: deployed(plan.metrics).service.configs[0]?.volume,
        },
      },
    ],
  };

describe("a component creates its children and registers its outputs, secrets as secrets", () => {
  test.each(Object.entries(EXPECTED))("%s", (label, [expectedChildren, expectedOutputs]) => {
    expect(children.get(label) ?? []).toEqual([...expectedChildren].sort());
    expect(outputs.get(label)).toEqual(expectedOutputs);
  });

  test("all classes are in the table", () => {
    const folder = join(import.meta.dirname, "../../../components");
    const classes = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .flatMap((text) => text.match(/(?<=class )\w+(?= extends pulumi\.ComponentResource)/g) ?? []);
    const tested = new Set(Object.keys(EXPECTED).map((label) => label.split(" ")[0]));
    expect([...tested].sort()).toEqual(classes.sort());
  });

  test("every public field is an output", () => {
    for (const component of created) {
      const label = `${component.constructor.name} ${(component as unknown as { __name: string }).__name}`;
      const fields = Object.keys(component).filter((key) => !key.startsWith("__") && key !== "urn");
      expect(Object.keys(outputs.get(label) ?? {}).sort(), label).toEqual(fields.sort());
    }
  });
});

test("a secret that a component does not pass on is found by the compiler", () => {
  type Needed = Secrets<"adminPassword", "brokerPassword">;
  const adminPassword = pulumi.secret("admin");
  // @ts-expect-error A secret that exists with some settings only must be passed, too.
  const partial: Needed = { adminPassword };
  const whole: Needed = { adminPassword, brokerPassword: undefined };
  expect(Object.keys({ ...partial, ...whole })).toEqual(["adminPassword", "brokerPassword"]);
});
