import { UserError } from "../../../contract/errors.ts";
import type { ContainerSpec, PublishedPort, ServicePlan } from "../spec.ts";
import { type BrokerPlan, planBroker } from "./broker.ts";
import { type BrokerUiPlan, planBrokerUi } from "./broker-ui.ts";
import type { PlanContext } from "./context.ts";
import { type DatabasePlan, planDatabase } from "./database.ts";
import { type GeneratorPlan, planGenerator } from "./generator.ts";

export interface StackPlan {
  readonly broker: BrokerPlan;
  readonly brokerUi: BrokerUiPlan | null;
  readonly database: DatabasePlan;
  /** Null where none is deployed. */
  readonly generator: GeneratorPlan | null;
}

/**
 * The whole stack as plain data: what the program declares and what the doctor checks.
 * @throws UserError for settings that are fine alone and wrong together
 */
export function planStack(context: PlanContext): StackPlan {
  const broker = planBroker(context);
  const plan: StackPlan = {
    broker,
    brokerUi: planBrokerUi(context, broker.endpoint),
    database: planDatabase(context, broker.endpoint),
    generator: planGenerator(context, broker.endpoint),
  };
  refuseClashes(publishedPorts(plan));
  return plan;
}

/** Services of the plan in the order they start. */
const servicesOf = (plan: StackPlan): ServicePlan[] =>
  [
    plan.broker.service,
    plan.database.service,
    plan.brokerUi?.service,
    plan.generator?.service,
  ].filter((service) => service !== null && service !== undefined);

export const containersOf = (plan: StackPlan): ContainerSpec[] =>
  servicesOf(plan).map((service) => service.container);

export const publishedPorts = (plan: StackPlan): PublishedPort[] =>
  containersOf(plan).flatMap((container) => container.ports);

/** Memory that all containers together may take, MiB. */
export const memoryOf = (plan: StackPlan): number =>
  containersOf(plan).reduce((sum, container) => sum + container.memoryMiB, 0);

function refuseClashes(ports: readonly PublishedPort[]): void {
  const owners = new Map<string, string>();
  for (const { setting, host, protocol } of ports) {
    if (host > 65_535) throw beyondRange(setting, host);
    const key = `${host}/${protocol}`;
    const other = owners.get(key);
    if (other) throw clash(other, setting, key);
    owners.set(key, setting);
  }
}

const beyondRange = (setting: string, host: number): UserError =>
  new UserError(
    `${setting} plus network.portOffset is ${host}; allowed are ports up to 65535`,
    "pulumi config set --path 'event-pipeline:network.portOffset' 0",
  );

const clash = (first: string, second: string, port: string): UserError =>
  new UserError(
    `${first} and ${second} both publish port ${port}; each service needs its own`,
    `pulumi config set --path 'event-pipeline:${second}' PORT`,
  );
