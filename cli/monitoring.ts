import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import { readMonitoring } from "../dashboards/checks/endpoints.ts";
import { createFolder } from "../dashboards/checks/grafana.ts";
import { targetsOf } from "../dashboards/checks/prometheus.ts";
import { querySignals } from "../dashboards/checks/queries.ts";
import { RELOAD_PARTS, type ReloadPart, reload } from "../dashboards/checks/reload.ts";
import { checkMonitoring } from "../dashboards/checks/services.ts";
import { stoppableServices } from "../dashboards/drills/breakages.ts";
import { drillTable } from "../dashboards/drills/drill.ts";
import { runDrills } from "../dashboards/drills/run.ts";
import { JOB_NAMES, JOBS, type Job } from "../dashboards/promql.ts";
import { renderTable } from "../terminal/format.ts";
import { printLine } from "../terminal/print.ts";
import { wholeNumber } from "./options.ts";

export function registerMonitoring(program: Command): void {
  const group = program
    .command("monitoring")
    .description("Reload and check the metrics store and the dashboards (make reload-monitoring)");
  group
    .command("reload")
    .description("Make Prometheus and Grafana re-read their files without a restart")
    .addOption(new Option("--only <part>", "re-read only this part").choices([...RELOAD_PARTS]))
    .action(async ({ only }: { only?: ReloadPart }) => {
      await reload(readMonitoring(), only ? [only] : RELOAD_PARTS);
      printLine(
        `${only ? READERS[only] : "Prometheus and Grafana"} re-read their files. To apply changes in the checkout or the configuration, run \`make up\`.`,
      );
    });
  group
    .command("folder")
    .description("Create Grafana's folder of dashboards and rules, unless it exists")
    .action(async () => {
      const { grafana } = readMonitoring();
      if (grafana) await createFolder(grafana);
    });
  group
    .command("check")
    .description("List targets that are down and count the rules; fails on any target down")
    .option("--wait <seconds>", "how long to wait for targets to come up", wholeNumber(0), 0)
    .action(async ({ wait }: { wait: number }) => printCheck(wait));
  group
    .command("ask")
    .description(
      "Query every expression of dashboards and rules; fails on unexplained empty results",
    )
    .action(printAsked);
  group
    .command("drill [alerts...]")
    .description("Cause a fault, wait for its alert, recover, wait until it resolves")
    .action(printDrills);
}

async function printDrills(alerts: readonly string[]): Promise<void> {
  const wanted = alerts.filter((name) => name !== "");
  if (wanted.length !== alerts.length) {
    throw new UserError("ALERT is empty", "run make drill ALERT=BrokerDown, or make drill-all");
  }
  const { metricsUrl, metricsContainer } = readMonitoring();
  const stack = {
    metricsUrl,
    databaseUrl: process.env.CLICKHOUSE_URL ?? "",
    collectorUrl: process.env.COLLECTOR_URL ?? "",
    jobs: await jobsAt(metricsUrl),
    services: await stoppableServices(metricsContainer),
  };
  const { passed, failed, leftOut } = await runDrills(stack, wanted, printLine);
  printLine(drillTable(passed));
  for (const line of leftOut) printLine(`Skipped: ${line}.`);
  if (failed.length > 0) {
    throw new UserError(
      `Drills failed:\n${failed.join("\n")}`,
      "run make doctor, then make drill ALERT=… for each alert",
    );
  }
}

const READERS: Readonly<Record<ReloadPart, string>> = {
  metrics: "Prometheus",
  dashboards: "Grafana",
};

async function printAsked(): Promise<void> {
  const { metricsUrl } = readMonitoring();
  const asked = await querySignals(metricsUrl, await jobsAt(metricsUrl));
  const empty = asked.filter(({ series }) => series === 0);
  printLine(`${asked.length} expressions queried, ${empty.length} without data`);
  const rows = empty.map(({ usedBy, signal }) => [usedBy, signal.name, signal.emptyWhen ?? "?"]);
  if (rows.length > 0) printLine(renderTable(["where", "signal", "empty when"], rows));
  const wrong = empty.filter(({ signal }) => signal.emptyWhen === undefined);
  if (wrong.length === 0) return;
  throw new UserError(
    `No data for ${wrong.map(({ signal }) => signal.name).join(", ")}`,
    "run make reload-monitoring to list targets that are down; after a start, first wait a minute",
  );
}

async function jobsAt(metricsUrl: string): Promise<ReadonlySet<Job>> {
  const names = new Set((await targetsOf(metricsUrl)).map(({ labels }) => labels.job ?? ""));
  return new Set(JOB_NAMES.filter((job) => names.has(JOBS[job])));
}

async function printCheck(wait: number): Promise<void> {
  const { down, rules, grafana } = await checkMonitoring(readMonitoring(), wait * 1000);
  const inGrafana = grafana ? `${grafana.present.length} in Grafana` : "the stack has no Grafana";
  printLine(`Rules: ${rules.length} at Prometheus, ${inGrafana}`);
  if (grafana && grafana.missing.length + grafana.stale.length > 0) {
    throw new UserError(
      `Grafana's rules differ from Prometheus's; missing: ${grafana.missing.join(", ") || "none"}; obsolete: ${grafana.stale.join(", ") || "none"}`,
      "run make up to add missing rules; make reset-dashboards also removes obsolete ones",
    );
  }
  if (down.size === 0) return printLine("All targets are up.");
  printLine(renderTable(["target", "reason"], [...down]));
  throw new UserError(
    `Targets down: ${[...down.keys()].join(", ")}`,
    "run make ps, then make logs SERVICE=NAME",
  );
}
