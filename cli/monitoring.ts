import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import { readMonitoring } from "../dashboards/checks/endpoints.ts";
import { targetsOf } from "../dashboards/checks/prometheus.ts";
import { askSignals } from "../dashboards/checks/queries.ts";
import { RELOAD_PARTS, type ReloadPart, reload } from "../dashboards/checks/reload.ts";
import { checkMonitoring } from "../dashboards/checks/services.ts";
import { pagesFor } from "../dashboards/definitions/all.ts";
import { JOB_NAMES, JOBS, type Job } from "../dashboards/promql.ts";
import { renderTable } from "../terminal/format.ts";
import { printLine, wholeNumber } from "./options.ts";

/** `pipeline monitoring …`: what the stack and make call to look after Prometheus and Grafana. */
export function registerMonitoring(program: Command): void {
  const group = program
    .command("monitoring")
    .description("Reload and check the metrics store and the dashboards (make reload-monitoring)");
  group
    .command("reload")
    .description("Make Prometheus and Grafana read the files they hold again; neither restarts")
    .addOption(new Option("--only <part>", "one of them").choices([...RELOAD_PARTS]))
    .action(async ({ only }: { only?: ReloadPart }) => {
      await reload(readMonitoring(), only ? [only] : RELOAD_PARTS);
      printLine(
        `${only ? READERS[only] : "Prometheus and Grafana"} read the files in the volumes again; what has changed in the checkout or the configuration comes by make up.`,
      );
    });
  group
    .command("check")
    .description("List targets that are down and count the rules; fails on any target down")
    .option("--wait <seconds>", "wait this long for targets to come up", wholeNumber(0), 0)
    .action(async ({ wait }: { wait: number }) => printCheck(wait));
  group
    .command("ask")
    .description(
      "Ask every expression of dashboards and rules; fails on one without data or reason",
    )
    .action(printAsked);
  group
    .command("picture")
    .description("Draw every dashboard from what Prometheus answers, one HTML file each")
    .option("--out <folder>", "where to", ".state/dashboards")
    .option("--minutes <n>", "how far back", wholeNumber(1), 60)
    .action(drawPictures);
}

const READERS: Readonly<Record<ReloadPart, string>> = {
  metrics: "Prometheus",
  dashboards: "Grafana",
};

async function printAsked(): Promise<void> {
  const { metricsUrl } = readMonitoring();
  const asked = await askSignals(metricsUrl, await jobsAt(metricsUrl));
  const empty = asked.filter(({ series }) => series === 0);
  printLine(`${asked.length} expressions asked, ${empty.length} without data`);
  const rows = empty.map(({ usedBy, signal }) => [usedBy, signal.name, signal.emptyWhen ?? "?"]);
  if (rows.length > 0) printLine(renderTable(["where", "signal", "empty when"], rows));
  const wrong = empty.filter(({ signal }) => signal.emptyWhen === undefined);
  if (wrong.length === 0) return;
  throw new UserError(
    `No data, and no reason for it: ${wrong.map(({ signal }) => signal.name).join(", ")}`,
    "make reload-monitoring says which target is down; after a start wait a minute",
  );
}

/** The jobs this Prometheus scrapes. */
async function jobsAt(metricsUrl: string): Promise<ReadonlySet<Job>> {
  const names = new Set((await targetsOf(metricsUrl)).map(({ labels }) => labels.job ?? ""));
  return new Set(JOB_NAMES.filter((job) => names.has(JOBS[job])));
}

async function drawPictures({ out, minutes }: { out: string; minutes: number }): Promise<void> {
  const { metricsUrl } = readMonitoring();
  const { writePictures } = await import("../dashboards/pictures/write.ts");
  const pages = pagesFor(await jobsAt(metricsUrl));
  const to = Math.floor(Date.now() / 1000);
  const span = { from: to - minutes * 60, to, step: Math.max(5, Math.round((minutes * 60) / 240)) };
  for (const file of await writePictures(metricsUrl, pages, out, span)) printLine(file);
}

async function printCheck(wait: number): Promise<void> {
  const { down, rules, grafana } = await checkMonitoring(readMonitoring(), wait * 1000);
  const inGrafana = grafana ? `${grafana.present.length} in Grafana` : "the stack has no Grafana";
  printLine(`Rules: ${rules.length} at Prometheus, ${inGrafana}`);
  if (grafana && grafana.missing.length + grafana.stale.length > 0) {
    throw new UserError(
      `Grafana has other rules than Prometheus; missing: ${grafana.missing.join(", ") || "none"}; of a part that is gone: ${grafana.stale.join(", ") || "none"}.`,
      "make up delivers them again; make reset-dashboards also removes what is left",
    );
  }
  if (down.size === 0) return printLine("All targets are up.");
  printLine(renderTable(["target", "why it is down"], [...down]));
  throw new UserError(
    `${down.size} targets are down: ${[...down.keys()].join(", ")}`,
    "make ps, make logs SERVICE=…",
  );
}
