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
