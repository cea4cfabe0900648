import { readFileSync } from "node:fs";
import { join } from "node:path";
import { officialImages } from "../../components/config.ts";
import { OFFLINE_IMAGES } from "../../components/shared/image-lock.ts";
import { ROOT } from "./recipe.ts";

const offline = (service: string, version: string): string =>
  `${OFFLINE_IMAGES}${service}:${version}`;

/** Returns the version of a service's official image: `prom/prometheus:v3.13.3` → `3.13.3`. */
export function releaseOf(service: string): string {
  const [, version] = /:v?([^:]+)$/.exec(officialImages.get(`${service}.image`) ?? "") ?? [];
  if (!version) throw new Error(`${service} has no official image`);
  return version;
}

const npmVersion = (name: string): string =>
  JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages[`node_modules/${name}`]
    .version;

/** Debian image that the other images build on. */
export const BASE_IMAGE = offline("base", "bookworm");

/** Offline images by service, as in config/offline.yaml, with the versions of the contents. */
export const offlineImages = {
  node: offline("node", npmVersion("node")),
  kafka: offline("kafka", releaseOf("kafka")),
  clickhouse: offline("clickhouse", npmVersion("@chdb/lib-linux-x64-gnu")),
  postgres: offline("postgres", "15"),
  superset: offline("superset", releaseOf("superset")),
  airflow: offline("airflow", releaseOf("airflow")),
  prometheus: offline("prometheus", releaseOf("prometheus")),
  statsdExporter: offline("statsd-exporter", releaseOf("statsdExporter")),
  kafkaExporter: offline("kafka-exporter", releaseOf("kafkaExporter")),
} as const;
