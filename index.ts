import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { Bi } from "./components/bi/index.ts";
import { Broker } from "./components/broker/index.ts";
import { Topics } from "./components/broker/topics.ts";
import { Dashboards } from "./components/dashboards/index.ts";
import { Database } from "./components/database/index.ts";
import { Schema } from "./components/database/schema.ts";
import { Generator } from "./components/generator/index.ts";
import { Ingest } from "./components/ingest/index.ts";
import { Live } from "./components/live/index.ts";
import { planLive } from "./components/live/spec.ts";
import { Metrics } from "./components/metrics/index.ts";
import { StackNetwork } from "./components/network/index.ts";
import { Postgres } from "./components/postgres/index.ts";
import { dockerEngine } from "./components/resources/engine-host.ts";
import { type ProgramInputs, readInputs, withUserErrors } from "./components/resources/inputs.ts";
import type { SecretOutputs } from "./components/resources/secret.ts";
import { Service, type ServiceArgs, type StackContext } from "./components/resources/service.ts";
import { SharedSecrets } from "./components/resources/shared-secrets.ts";
import { Scheduler } from "./components/scheduler/index.ts";
import { addressOutputs, type ServiceName, type StackPlan } from "./components/services.ts";
import { ownership } from "./components/shared/labels.ts";
import type { ServicePlan } from "./components/shared/spec.ts";

/**
 * Turns the plan of each service (components/services.ts) into resources. Pulumi orders by
 * dependencies, not by these lines:
 * - network; then postgres, broker and database in parallel
 * - topics after broker and database; schema and generator after the topics
 * - Superset after postgres, its import after the schema
 * - scheduler services after postgres and their init job
 * - live: history (after schema, generator and scheduler), load, schedule
 * - metrics after database, schema, generator and exporters; then Grafana
 */
function deploy() {
  const inputs = readInputs();
  const { plan, overrides } = inputs;
  // Every resource uses the engine of the docker command instead of the provider's default.
  const engine = { provider: new docker.Provider("docker", { ...dockerEngine().connection }) };
  const shared = new SharedSecrets("shared", inputs);
  const base = { plan, shared, context: contextOf(inputs, shared, engine), engine };

  const pipeline = deployPipeline(base);
  const { broker, database, schema, topics, ingest, generator } = pipeline;
  const singles = deploySingles(base, pipeline);
  const tools = deployTools(base, pipeline);
  const { postgres, scheduler } = tools;
  new Live("live", {
    plan: planLive(inputs.config),
    clients: [broker, database, generator, scheduler].flatMap((one) => one?.client ?? []),
    triggers: [database.serverId, topics.version],
    metadataServerId: postgres?.serverId,
    dependsOn: [schema, generator, scheduler].filter((one) => one !== null),
  });
  const services = { broker, database, ingest, generator, ...singles, ...tools };
  deployMonitoring(base, schema, scrapedOf(plan, services));
  const secrets = secretsOf([...Object.values(services), shared]);
  return { ...addressOutputs(plan), overrides, secrets: pulumi.secret(secrets) };
}

/** Values that all parts of the program share. */
interface Base {
  readonly plan: StackPlan;
  readonly shared: SharedSecrets;
  readonly context: StackContext;
  readonly engine: pulumi.ComponentResourceOptions;
}

/** Declares broker, database, topics, schema, ingest and generator. */
function deployPipeline({ plan, context, engine }: Base) {
  const broker = new Broker("broker", { plan: plan.broker, context }, engine);
  const brokerSecrets = broker.secrets;
  const database = new Database(
    "database",
    { plan: plan.database, context, brokerSecrets },
    engine,
  );
  const clients = [broker.client, database.client];
  const topics = new Topics("topics", {
    clients,
    brokerId: broker.serverId,
    dependsOn: [broker, database],
  });
  const schema = new Schema("schema", {
    context,
    clients,
    databaseId: database.serverId,
    topicsVersion: topics.version,
    brokerPassword: brokerSecrets.brokerPassword,
    dependsOn: [database, topics],
  });
  const ingest =
    plan.ingest &&
    new Ingest(
      "ingest",
      {
        plan: plan.ingest,
        context,
        secrets: { ...brokerSecrets, ...database.secrets },
        dependsOn: [schema],
      },
      engine,
    );
  const generator =
    plan.generator &&
    new Generator(
      "generator",
      // Not the schema, because messages wait in the topics.
      {
        plan: plan.generator,
        context,
        brokerClient: broker.client,
        brokerSecrets,
        dependsOn: [topics],
      },
      engine,
    );
  return { broker, database, topics, schema, ingest, generator };
}

/** Declares Airflow and Superset with the server that stores their metadata. */
function deployTools(
  { plan, shared, context, engine }: Base,
  { broker, database, schema, generator }: ReturnType<typeof deployPipeline>,
) {
  const postgres =
    plan.postgres && new Postgres("postgres", { plan: plan.postgres, context }, engine);
  const scheduler =
    plan.scheduler &&
    postgres &&
    new Scheduler(
      "scheduler",
      {
        plan: plan.scheduler,
        context,
        secrets: {
          ...shared.secrets,
          ...postgres.secrets,
          ...broker.secrets,
          ...database.secrets,
          controlToken: generator?.secrets.controlToken,
        },
        databasesVersion: postgres.version,
        dependsOn: [postgres],
      },
      engine,
    );
  const bi =
    plan.bi &&
    postgres &&
    new Bi(
      "bi",
      {
        plan: plan.bi,
        context,
        secrets: { ...shared.secrets, ...postgres.secrets, ...database.secrets },
        clients: [broker.client, database.client],
        schemaVersion: schema.version,
        dependsOn: [postgres],
      },
      engine,
    );
  return { postgres, scheduler, bi };
}

/** Declares Prometheus, after all that it scrapes, and Grafana. */
function deployMonitoring(
  { plan, shared, context, engine }: Base,
  schema: Schema,
  scraped: readonly Component[],
): void {
  const metrics =
    plan.metrics &&
    new Metrics(
      "metrics",
      {
        plan: plan.metrics,
        context,
        secrets: secretsOf(scraped),
        dependsOn: [schema, ...scraped],
      },
      engine,
    );
  if (plan.dashboards && metrics) {
    new Dashboards(
      "dashboards",
      {
        plan: plan.dashboards,
        context,
        secrets: shared.secrets,
        metricsClient: metrics.client,
        dependsOn: [metrics],
      },
      engine,
    );
  }
}

/** Declares the services that are one container without commands. */
function deploySingles(
  { plan, context, engine }: Base,
  { broker, topics }: ReturnType<typeof deployPipeline>,
) {
  const single = (
    name: string,
    spec: { readonly service: ServicePlan } | null,
    args: Partial<ServiceArgs> = {},
  ) => spec && new Service(name, { plan: spec.service, context, ...args }, engine);
  // The topics' command names a wrong address, certificate or password of an external broker at once.
  const first = plan.broker.service ? broker : topics;
  const ofBroker = { dependsOn: [first], secrets: broker.secrets };
  return {
    statsdExporter: single("statsd-exporter", plan.statsdExporter),
    alertLog: single("alert-log", plan.alertLog),
    brokerUi: single("broker-ui", plan.brokerUi, ofBroker),
    // The exporter exits if it finds no broker at its start.
    brokerExporter: single("broker-exporter", plan.brokerExporter, ofBroker),
  };
}

type Component = pulumi.Resource & { readonly secrets?: SecretOutputs };
type Components = Readonly<Partial<Record<ServiceName, Component | null>>>;

const scrapedOf = (plan: StackPlan, components: Components): Component[] =>
  (Object.keys(components) as ServiceName[]).flatMap((name) => {
    const component = components[name];
    return component && plan[name]?.scrape ? [component] : [];
  });

const secretsOf = (components: readonly (Component | null)[]): SecretOutputs =>
  Object.fromEntries(
    components
      .flatMap((one) => Object.entries(one?.secrets ?? {}))
      .filter(([, value]) => value !== undefined),
  );

function contextOf(
  { names, config: { protectData }, configured }: ProgramInputs,
  shared: SharedSecrets,
  engine: pulumi.ComponentResourceOptions,
): StackContext {
  const labels = ownership(names.stack);
  const { networkId } = new StackNetwork("network", { names, labels }, engine);
  const digest = shared.digest.bind(shared);
  return { stack: names.stack, labels, network: networkId, protectData, configured, digest };
}

const deployed = withUserErrors(deploy);
/** Returns the stack's outputs. @param overrides variables that override the configuration */
export const { addresses, pages, overrides, secrets } = deployed;
