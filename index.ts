import * as docker from "@pulumi/docker";
import { Bi } from "./components/bi.ts";
import { Broker } from "./components/broker.ts";
import { BrokerUi } from "./components/brokerUi.ts";
import { Database } from "./components/database.ts";
import { Generator } from "./components/generator.ts";
import { Live } from "./components/live.ts";
import { deployMonitoring } from "./components/monitoring.ts";
import { Postgres } from "./components/postgres.ts";
import { Scheduler } from "./components/scheduler.ts";
import { Schema } from "./components/schema.ts";
import { passwordsOf, readContext, tellingMistakes } from "./components/stackContext.ts";
import { StackNetwork } from "./components/stackNetwork.ts";
import { Topics } from "./components/topics.ts";
import { engineHost } from "./pipeline/stack/engine-host.ts";
import { ownership } from "./pipeline/stack/labels.ts";
import { planStack } from "./pipeline/stack/plan/stack.ts";

/** The stack: what runs, in which order, and where it is reached. */
function deploy() {
  const { names, secrets, ...inputs } = readContext();
  const plans = planStack({ names, secrets, ...inputs });
  const labels = ownership(names.stack);
  // The engine that the docker command uses, for every resource: not the provider's own default.
  const engine = { provider: new docker.Provider("docker", { host: engineHost() }) };
  const { networkId: network } = new StackNetwork("network", { names, labels }, engine);
  const { protectData } = inputs.config;
  const context = {
    stack: names.stack,
    labels,
    network,
    protectData,
    passwords: passwordsOf(secrets),
  };

  // Made first: what waits for it, Superset and Airflow, takes longest to start.
  const postgres =
    plans.postgres && new Postgres("postgres", { plan: plans.postgres, context }, engine);
  const broker = new Broker("broker", { plan: plans.broker, context }, engine);
  const database = new Database("database", { plan: plans.database, context }, engine);
  const topics = new Topics("topics", { broker, database });
  const schema = new Schema("schema", { database, broker, topics });
  const stores = { broker, database, schema };
  const bi =
    plans.bi && postgres && new Bi("bi", { plan: plans.bi, context, postgres, ...stores }, engine);
  const scheduler =
    plans.scheduler &&
    postgres &&
    new Scheduler("scheduler", { plan: plans.scheduler, context, postgres }, engine);
  const generator =
    plans.generator &&
    new Generator("generator", { plan: plans.generator, context, topics }, engine);
  const brokerUi =
    plans.brokerUi && new BrokerUi("broker-ui", { plan: plans.brokerUi, context, topics }, engine);
  new Live("live", {
    plan: plans.live,
    context,
    ...stores,
    topics,
    generator,
    scheduler,
  });
  const watched = [database, schema, generator];

  const addresses = {
    broker: broker.endpoint.host,
    database: database.endpoint.hostUrl,
    generator: generator?.url,
    scheduler: scheduler?.url,
    brokerUi: brokerUi?.url,
    bi: bi?.url,
    ...deployMonitoring({ plan: plans.monitoring, context, topics, watched }, engine),
  };
  return { addresses, overrides: inputs.overrides };
}

/** `overrides`: variables of the caller's environment that win over the configuration in this run. */
export const { addresses, overrides } = tellingMistakes(deploy);
