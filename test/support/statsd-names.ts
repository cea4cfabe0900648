import { statsdMapping } from "../../dashboards/delivery/statsd-mapping.ts";

/**
 * Returns the name that statsd_exporter exports for a StatsD line, or undefined if the first
 * matching rule drops the line. Timers also get `_sum` and `_count`. The monitoring level compares
 * this with the real exporter.
 */
export function exportedName(line: string): string | undefined {
  const name = line.slice(0, line.lastIndexOf(":"));
  const rule = statsdMapping.mappings.find(({ match, match_type }) =>
    match_type === "regex" ? new RegExp(match).test(name) : match === name,
  );
  if (rule?.action === "drop") return undefined;
  return rule?.name ?? name.replace(/[^a-zA-Z0-9_]/g, "_");
}
