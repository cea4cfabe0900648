import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** The one table of images. Tags are exact: a moving tag would change a running stack unseen. */
export const images = {
  broker: "apache/kafka:4.1.2",
  brokerUi: "ghcr.io/kafbat/kafka-ui:v1.5.0",
  brokerExporter: "danielqsj/kafka-exporter:v1.9.0",
  database: "clickhouse/clickhouse-server:26.8.15.10",
  node: "node:24.19.0-bookworm-slim",
  postgres: "postgres:17.6",
  prometheus: "prom/prometheus:v3.13.3",
  statsdExporter: "prom/statsd-exporter:v0.28.0",
  grafana: "grafana/grafana:12.4.4",
  superset: "apache/superset:6.1.0",
  airflow: "apache/airflow:2.10.5-python3.11",
} as const;

export type ImageName = keyof typeof images;
export const IMAGE_NAMES = Object.keys(images) as ImageName[];

/** Start of the name of every image that `make offline-images` builds. */
export const OFFLINE_IMAGES = "event-pipeline/offline/";

/** Digests of the images of the table, written by `make lock-images`. */
export const IMAGE_LOCK = join(import.meta.dirname, "images.lock.json");

const lockSchema = z.record(z.string(), z.string().regex(/^sha256:[0-9a-f]{64}$/));

/** Digest by `name:tag`. */
export type ImageLock = z.infer<typeof lockSchema>;

export const readImageLock = (): ImageLock =>
  lockSchema.parse(JSON.parse(readFileSync(IMAGE_LOCK, "utf8")));

/** The image of the table, with its digest where the lock has one: a tag can be moved, a digest cannot. */
export function officialImage(name: ImageName, lock: ImageLock = readImageLock()): string {
  const image = images[name];
  return lock[image] ? `${image}@${lock[image]}` : image;
}

export const IMAGE_FORM =
  "name:tag with an exact tag (none that moves, like latest, stable or main), or name@sha256:digest";

const DIGEST = /@sha256:[0-9a-f]{64}$/;
const TAGGED = /^[a-z0-9][a-z0-9._/:-]*:[\w][\w.-]*$/;

/**
 * Tags that are moved to each new image, and what is built from them, like `stable-alpine`. A build's
 * own number behind one, `nightly-20260801` or `main-3f2a1b9`, makes it exact; not so behind `latest`.
 */
const MOVING =
  /:(?:latest(?:[.-]|$)|(?:head|stable|nightly|edge|main|master|dev|develop|rolling|canary)(?:$|[.-](?!\d|[0-9a-f]{7,}$)))/i;

export const isExactImage = (image: string): boolean =>
  DIGEST.test(image) || (TAGGED.test(image) && !MOVING.test(image));
