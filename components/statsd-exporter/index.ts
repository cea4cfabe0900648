import * as pulumi from "@pulumi/pulumi";
import { JOBS } from "../../dashboards/promql.ts";
import { wgetHealth } from "../shared/health.ts";
import { NOBODY } from "../shared/names.ts";
import type { Network } from "../shared/network.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { Service } from "../shared/service.ts";
import type { Use } from "../shared/use.ts";
import type { StatsdExporterSettings } from "./config.ts";

const METRICS_PORT = 9102;
const STATSD_PORT = 8125;

export interface StatsdExporterArgs extends StatsdExporterSettings {
  readonly network: Network;
}

/** Receives Airflow's metrics as StatsD, and serves them to Prometheus. */
export class StatsdExporter extends pulumi.ComponentResource {
  /** Receiver of StatsD over UDP, for Airflow. */
  readonly use: Use;
  readonly scrape: readonly ScrapeJob[];

  constructor(name: string, args: StatsdExporterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:StatsdExporter", name, {}, opts);
    const service = new Service(
      name,
      {
        ...args,
        command: [
          `--statsd.listen-udp=:${STATSD_PORT}`,
          "--statsd.listen-tcp=",
          `--web.listen-address=:${METRICS_PORT}`,
        ],
        user: NOBODY,
        ports: [
          args.network.publish(METRICS_PORT, args.port),
          args.network.publish(STATSD_PORT, args.statsdPort, "udp"),
        ],
        health: wgetHealth(METRICS_PORT, "/-/healthy"),
        graceSeconds: 5,
      },
      { parent: this },
    );
    this.use = { environment: statsdSettings(name, STATSD_PORT), ...service.use };
    const target = `${name}:${METRICS_PORT}`;
    this.scrape = [{ job: JOBS.scheduler, target, use: service.use }];
    this.registerOutputs({ target });
  }
}

/** Returns Airflow's settings of StatsD: labels as InfluxDB tags, which the exporter reads. */
export const statsdSettings = (host: string, port: number) => ({
  AIRFLOW__METRICS__STATSD_ON: "True",
  AIRFLOW__METRICS__STATSD_HOST: host,
  AIRFLOW__METRICS__STATSD_PORT: String(port),
  AIRFLOW__METRICS__STATSD_INFLUXDB_ENABLED: "True",
  AIRFLOW__METRICS__LEGACY_NAMES_ON: "False",
});
