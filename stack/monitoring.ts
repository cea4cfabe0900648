import { stackNames } from "../components/shared/names.ts";
import { runDocker } from "../terminal/docker.ts";
import { localConfig } from "./lifecycle/local-config.ts";
import { ownedObjects, removeObjects } from "./lifecycle/owned-resources.ts";
import { prepareStart, up } from "./lifecycle/up.ts";
import { requireService } from "./require-service.ts";

type PrintLine = (line: string) => void;

/** Re-creates the metrics store. @throws UserError before a deletion, if the stack cannot start */
export async function recoverMonitoring(stack: string, print: PrintLine): Promise<void> {
  const config = await localConfig(stack);
  requireService(stack, config, "prometheus");
  const { identity } = await prepareStart(stack);
  const { container, volume } = stackNames(stack);
  print(`Deleting the series of the metrics store: volume ${volume("prometheus-data")}.`);
  const containers = [container("prometheus"), container("statsd-exporter")];
  await removeOwned(identity, [...containers, volume("prometheus-data")]);
  await up(stack);
  // Airflow keeps a broken metrics connection until a restart.
  const senders = config.airflow ? ["airflow", "airflow-web"] : [];
  for (const sender of senders) await runDocker("restart", container(sender));
}

/** Re-creates Grafana's data. @throws UserError before a deletion, if the stack cannot start */
export async function resetDashboards(stack: string, print: PrintLine): Promise<void> {
  requireService(stack, await localConfig(stack), "grafana");
  const { identity } = await prepareStart(stack);
  const { container, volume } = stackNames(stack);
  const data = volume("grafana-data");
  print(`Deleting Grafana's data, including content created by hand: volume ${data}.`);
  await removeOwned(identity, [container("grafana"), data]);
  await up(stack);
  // The refresh before this one finds the missing content, because Grafana runs now.
  await up(stack);
}

/** Removes containers and volumes, if this state created them. */
async function removeOwned(identity: string | undefined, names: readonly string[]): Promise<void> {
  const owned = await ownedObjects(identity, ["container", "volume"]);
  await removeObjects(owned.filter(({ name }) => names.includes(name)));
}
