import { stackNames } from "../components/shared/names.ts";
import { runDocker } from "../terminal/docker.ts";
import { localConfig } from "./lifecycle/local-config.ts";
import { prepareStart, up } from "./lifecycle/up.ts";
import { requireService } from "./require-service.ts";

type PrintLine = (line: string) => void;

/** Re-creates the metrics store. @throws UserError before a deletion, if the stack cannot start */
export async function recoverMonitoring(stack: string, print: PrintLine): Promise<void> {
  const config = localConfig(stack);
  requireService(stack, config, "prometheus");
  await prepareStart(stack);
  await removeWithData(stack, "prometheus", print, "the series of the metrics store");
  const { container } = stackNames(stack);
  if (config.statsdExporter)
    await runDocker("rm", "--force", "--volumes", container("statsd-exporter"));
  await up(stack);
  // Airflow keeps a broken metrics connection until a restart.
  const senders = config.airflow ? ["airflow", "airflow-web"] : [];
  for (const sender of senders) await runDocker("restart", container(sender));
}

/** Re-creates Grafana's data. @throws UserError before a deletion, if the stack cannot start */
export async function resetDashboards(stack: string, print: PrintLine): Promise<void> {
  requireService(stack, localConfig(stack), "grafana");
  await prepareStart(stack);
  const what = "Grafana's data, including content created by hand";
  await removeWithData(stack, "grafana", print, what);
  await up(stack);
  // A refresh finds the missing content only while Grafana runs.
  await up(stack, { refreshesContent: true });
}

async function removeWithData(
  stack: string,
  service: string,
  print: PrintLine,
  what: string,
): Promise<void> {
  const { container, volume } = stackNames(stack);
  print(`Deleting ${what}: volume ${volume(`${service}-data`)}.`);
  await runDocker("rm", "--force", "--volumes", container(service));
  await runDocker("volume", "rm", "--force", volume(`${service}-data`));
}
