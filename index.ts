import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { Bi } from "./components/bi/index.ts";
import { Broker } from "./components/broker/index.ts";
import { Topics } from "./components/broker/topics.ts";
import { Database } from "./components/database/index.ts";
import { Schema } from "./components/database/schema.ts";
import { Generator } from "./components/generator/index.ts";
import { Live } from "./components/live/index.ts";
import { deployMonitoring } from "./components/monitoring.ts";
import { StackNetwork } from "./components/network/index.ts";
import { Postgres } from "./components/postgres/index.ts";
import { readInputs, withUserErrors } from "./components/resources/inputs.ts";
import type { SecretOutputs } from "./components/resources/secret.ts";
import { previously, Service } from "./components/resources/service.ts";
import { SharedSecrets } from "./components/resources/shared-secrets.ts";
import { Scheduler } from "./components/scheduler/index.ts";
import { addressesOf, planStack } from "./components/services.ts";
import { engineHost } from "./components/shared/engine-host.ts";
import { ownership } from "./components/shared/labels.ts";

/**
 * Declares the stack. Pulumi orders by dependencies, not by these lines:
 * - network; then postgres, broker and database in parallel
 * - topics after broker and database; schema and generator after the topics
 * - Superset after postgres, its import after the schema
 * - scheduler services after postgres and their init job
 * - live: history (after schema, generator and scheduler), load, schedule
 * - metrics after database, schema, generator and exporters; then Grafana
 */
function deploy() {
  const { configured, ...inputs } = readInputs();
  const { names, config } = inputs;
  const plans = planStack({ ...inputs, configured: new Set(configured.keys()) });
  const labels = ownership(names.stack);
  // The engine that the docker command uses, for every resource: not the provider's own default.
  const engine = { provider: new docker.Provider("docker", { host: engineHost() }) };
  const { networkId: network } = new StackNetwork("network", { names, labels }, engine);
  const shared = new SharedSecrets("shared", { configured });
  const context = {
    stack: names.stack,
    labels,
    network,
    protectData: config.protectData,
    configured,
    digest: shared.digest.bind(shared),
  };

  const postgres =
    plans.postgres && new Postgres("postgres", { plan: plans.postgres, context }, engine);
  const broker = new Broker("broker", { plan: plans.broker, context }, engine);
  const database = new Database("database", { plan: plans.database, context, broker }, engine);
  const topics = new Topics("topics", { broker, database });
  const schema = new Schema("schema", { database, broker, topics, shared });
  const stores = { broker, database, schema };
  if (plans.bi && postgres) {
    new Bi("bi", { plan: plans.bi, context, shared, postgres, ...stores }, engine);
  }
  const generator =
    plans.generator &&
    new Generator("generator", { plan: plans.generator, context, broker, topics }, engine);
  const scheduler =
    plans.scheduler &&
    postgres &&
    new Scheduler(
      "scheduler",
      { plan: plans.scheduler, context, shared, postgres, broker, database, generator },
      engine,
    );
  if (plans.brokerUi) {
    const { secrets } = broker;
    new Service(
      "broker-ui",
      { spec: plans.brokerUi, context, after: [broker], secrets },
      previously("eventpipeline:broker:BrokerUi", engine),
    );
  }
  new Live("live", { plan: plans.live, shared, ...stores, topics, generator, scheduler });
  const watched = [database, schema, generator];
  const monitoring = { plan: plans.monitoring, context, shared, broker, database, watched };
  deployMonitoring(monitoring, engine);
  const secrets: SecretOutputs = {
    ...shared.secrets,
    ...broker.secrets,
    ...database.secrets,
    ...postgres?.secrets,
    ...generator?.secrets,
    ...scheduler?.secrets,
  };
  const addresses = Object.fromEntries(
    Object.entries(addressesOf(plans)).map(([name, { url }]) => [name, url]),
  );
  return { addresses, overrides: inputs.overrides, secrets: pulumi.secret(secrets) };
}

const deployed = withUserErrors(deploy);
/** @param overrides variables of the environment that override the configuration in this run */
export const { addresses, overrides, secrets } = deployed;
