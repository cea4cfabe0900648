/** Last day of support of each series of an image, by its vendor; null if the vendor names none. */
const SUPPORT: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  // The community repairs the three newest minor releases.
  kafka: { "4.4": null },
  "kafka-ui": { "1.5": null },
  "kafka-exporter": { "1.9": null },
  // A release with long-term support gets a year; the library of npm is another series.
  "clickhouse-server": { "26.8": "2027-08-31" },
  clickhouse: { "26.7": null },
  node: { "24": "2028-04-30" },
  postgres: { "15": "2027-11-11" },
  airflow: { "3": null },
  superset: { "6": null },
  "statsd-exporter": { "0.31": null },
  // The long-term one; others get six weeks.
  prometheus: { "3.13": "2027-07-31" },
  grafana: { "12.4": "2027-05-24" },
};

/** Returns the last day of support, null without one; undefined for an image or a series without a row. */
export function endOfLife(image: string): string | null | undefined {
  const [, name = "", version = ""] = /([^/:@]+)(?::v?([^@]+))?(?:@.*)?$/.exec(image) ?? [];
  const found = Object.entries(SUPPORT[name] ?? {}).find(([series]) =>
    `${version}.`.replace("-", ".").startsWith(`${series}.`),
  );
  return found?.[1];
}

/** Returns whether support ended before a day, such as `2026-11-29`. */
export const hasEnded = (image: string, day: string): boolean => (endOfLife(image) ?? day) < day;
