import * as pulumi from "@pulumi/pulumi";
import { Broker } from "./components/broker.ts";
import { BrokerUi } from "./components/brokerUi.ts";
import { Database } from "./components/database.ts";
import { Generator } from "./components/generator.ts";
import { Schema } from "./components/schema.ts";
import { asRunError, ownership, readContext } from "./components/stackContext.ts";
import { StackNetwork } from "./components/stackNetwork.ts";
import { Topics } from "./components/topics.ts";
import { planStack } from "./pipeline/stack/plan/stack.ts";

/** The stack: what runs, in which order, and where it is reached. */
function deploy() {
  const { names, secrets, ...inputs } = readContext();
  const plan = planStack({ names, secrets, ...inputs });
  const secret = (value: string | undefined) => pulumi.secret(value ?? "");

  const labels = ownership(names.stack);
  const network = new StackNetwork("network", { names, labels });
  const context = { stack: names.stack, labels, network: network.networkName };

  const broker = new Broker("broker", {
    plan: plan.broker,
    context,
    password: secrets.brokerPassword ? secret(secrets.brokerPassword) : null,
  });
  const database = new Database("database", {
    plan: plan.database,
    context,
    password: secret(secrets.databasePassword),
  });
  const topics = new Topics("topics", { broker, database });
  const schema = new Schema("schema", { database, broker, topics });
  const generator = plan.generator
    ? new Generator("generator", { plan: plan.generator, context, topics, schema })
    : undefined;
  const brokerUi = plan.brokerUi
    ? new BrokerUi("broker-ui", { plan: plan.brokerUi, context, broker })
    : undefined;

  return {
    broker: broker.endpoint.host,
    database: database.endpoint.hostUrl,
    ...(generator ? { generator: generator.url } : {}),
    ...(brokerUi ? { brokerUi: brokerUi.url } : {}),
  };
}

function run() {
  try {
    return deploy();
  } catch (error) {
    throw asRunError(error);
  }
}

export const addresses = run();
