/**
 * Returns the name that statsd_exporter exports for a StatsD line, without labels. Timers also get
 * `_sum` and `_count`. The monitoring level compares this with the real exporter.
 */
export function exportedName(line: string): string {
  const [name = ""] = line.split(/[,:]/, 1);
  return name.replace(/[^a-zA-Z0-9_]/g, "_");
}
