import { UserError } from "../../contract/errors.ts";
import type { PlanContext } from "./context.ts";
import { isLoopback, settingCommand } from "./names.ts";
import type { ContainerSpec } from "./spec.ts";

/** Without @param containers, loopback is allowed. @throws UserError for an unreachable address */
export function refuseUnreachable(
  { config: { broker, database } }: Pick<PlanContext, "config">,
  containers: readonly ContainerSpec[],
): void {
  if (broker.mode === "container" && database.mode === "external") throw brokerInside();
  if (containers.length === 0) return;
  if (broker.mode === "external" && broker.bootstrap.split(",").map(hostOf).some(isLoopback)) {
    throw loopback("broker.bootstrap", broker.bootstrap, "broker.hostBootstrap");
  }
  if (database.mode === "external" && isLoopback(new URL(database.url).hostname)) {
    throw loopback("database.url", database.url, "database.hostUrl");
  }
}

const hostOf = (address: string): string => address.split(":")[0] ?? "";

const brokerInside = (): UserError =>
  new UserError(
    "database.mode=external with broker.mode=container: the database reads from Kafka itself and cannot reach a broker inside the stack's network",
    `use an external broker, too: ${settingCommand("broker.mode", "external")} and ${settingCommand("broker.bootstrap", "<host>:<port>")}`,
  );

const loopback = (setting: string, value: string, ofMachine: string): UserError =>
  new UserError(
    `${setting}=${value}: a container cannot reach this machine by a loopback address. ${ofMachine} may have it, for commands on this machine.`,
    `${settingCommand(ofMachine, value)} and ${settingCommand(setting, "<address for containers>")}`,
  );
