import { runDocker } from "../terminal/docker.ts";
import { readClient } from "./lifecycle/outputs.ts";
import { serviceRows } from "./lifecycle/owned-resources.ts";
import { deploymentOf } from "./lifecycle/recover.ts";
import { up } from "./lifecycle/up.ts";
import { requireService } from "./require-service.ts";

type PrintLine = (line: string) => void;

/** Re-creates the metrics store and its exporter. @throws UserError before a deletion, if the stack cannot start */
export async function recoverMonitoring(stack: string, print: PrintLine): Promise<void> {
  requireService(stack, await readClient(stack), "prometheus");
  print("Deleting the series of the metrics store: volume prometheus-data.");
  await up(stack, { replace: ["Volume::prometheus-data", "Container::statsd-exporter"] });
  // Airflow keeps a broken metrics connection until a restart.
  const { identity } = await deploymentOf(stack);
  const rows = await serviceRows(identity, ["{{.ID}}"]);
  const senders = rows.flatMap(([name, id = ""]) => (name?.startsWith("airflow") ? [id] : []));
  if (senders.length > 0) await runDocker("restart", ...senders);
}

/** Re-creates Grafana's data. @throws UserError before a deletion, if the stack cannot start */
export async function resetDashboards(stack: string, print: PrintLine): Promise<void> {
  requireService(stack, await readClient(stack), "grafana");
  print("Deleting Grafana's data, including content created by hand: volume grafana-data.");
  await up(stack, { replace: ["Volume::grafana-data"] });
  // The refresh before this one finds the missing content, because Grafana runs now.
  await up(stack);
}
