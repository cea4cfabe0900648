import { statsdMapping } from "../../dashboards/delivery/statsd-mapping.ts";

/**
 * The series that statsd_exporter makes of a StatsD line by the stack's mapping: the first rule that
 * matches counts, a name without one keeps its own; undefined when it is dropped. Timers end in
 * `_sum` and `_count` besides. The monitoring level holds this against the real exporter.
 */
export function exportedName(line: string): string | undefined {
  const name = line.slice(0, line.lastIndexOf(":"));
  const rule = statsdMapping.mappings.find(({ match, match_type }) =>
    match_type === "regex" ? new RegExp(match).test(name) : match === name,
  );
  if (rule?.action === "drop") return undefined;
  return rule?.name ?? name.replace(/[^a-zA-Z0-9_]/g, "_");
}
