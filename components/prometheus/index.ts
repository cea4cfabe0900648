import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import { rulesFor } from "../../dashboards/alerts/rules.ts";
import { prometheusRules } from "../../dashboards/delivery/prometheus.ts";
import { JOBS, type Job } from "../../dashboards/promql.ts";
import { wgetHealth } from "../shared/health.ts";
import { isOffline } from "../shared/image-lock.ts";
import { NOBODY } from "../shared/names.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { Service } from "../shared/service.ts";
import type { Files, Use } from "../shared/use.ts";
import type { PrometheusSettings } from "./config.ts";
import { knownJobs, prometheusSettings } from "./settings.ts";

const PORT = 9090;
const SERIES = "/prometheus";
const SETTINGS = "/etc/prometheus/prometheus.yml";
const RULES = "/etc/prometheus/rules.yml";

export interface PrometheusArgs extends PrometheusSettings {
  readonly network: Network;
  /** Services to scrape, each with its password. */
  readonly scrape: readonly ScrapeJob[];
}

/** Prometheus, which starts after all its targets, so that no start is reported as a failure. */
export class Prometheus extends pulumi.ComponentResource {
  /** Address for containers. */
  readonly url: string;
  readonly use: Use;
  readonly client: Use;
  /** Undefined for the offline image, which is compiled without the pages. */
  readonly page: Page | undefined;
  /** Scraped jobs, which decide the dashboards and rules. */
  readonly jobs: ReadonlySet<Job>;
  readonly runbook: string | undefined;

  constructor(name: string, args: PrometheusArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Prometheus", name, {}, opts);
    const { network } = args;
    const itself = { job: JOBS.prometheus, target: `localhost:${PORT}`, use: { ready: [] } };
    const scrape = [...args.scrape, itself];
    this.jobs = knownJobs(scrape);
    this.runbook = args.runbook;
    const port = network.publish(PORT, args.port);
    const service = new Service(
      name,
      {
        ...args,
        command: [
          `--config.file=${SETTINGS}`,
          `--storage.tsdb.path=${SERIES}`,
          `--storage.tsdb.retention.time=${args.retentionDays}d`,
          `--storage.tsdb.retention.size=${args.retentionMiB}MB`,
        ],
        user: NOBODY,
        ports: [port],
        volumes: [{ name: "data", path: SERIES, isDisposable: true }],
        files: {
          [SETTINGS]: settingsOf(scrape, args.outOfOrderMinutes),
          [RULES]: prometheusRules(rulesFor(this.jobs), { runbook: args.runbook }),
          ...passwordsOf(scrape),
        },
        health: wgetHealth(PORT, "/-/healthy"),
        graceSeconds: 30,
        uses: scrape.map(({ use }) => use),
      },
      { parent: this },
    );
    const hostUrl = network.url(port);
    this.url = `http://${name}:${PORT}`;
    this.use = service.use;
    this.client = {
      environment: { METRICS_URL: hostUrl, METRICS_CONTAINER: service.containerId },
      ...service.use,
    };
    this.page = isOffline(args.image)
      ? undefined
      : { title: "Prometheus", url: hostUrl, isTool: true };
    this.registerOutputs({ url: hostUrl });
  }
}

const passwordFile = (job: string): string => `/etc/prometheus/${job}-password`;

const settingsOf = (scrape: readonly ScrapeJob[], outOfOrderMinutes: number): string => {
  const scraped = scrape.map(({ login, ...job }) => ({
    ...job,
    ...(login ? { login: { user: login.user, passwordFile: passwordFile(job.job) } } : {}),
  }));
  return stringify(prometheusSettings(scraped, RULES, outOfOrderMinutes), { lineWidth: 0 });
};

const passwordsOf = (scrape: readonly ScrapeJob[]): Files =>
  Object.fromEntries(
    scrape.flatMap(({ job, login }) => (login ? [[passwordFile(job), login.password]] : [])),
  );
