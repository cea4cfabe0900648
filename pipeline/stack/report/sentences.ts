import type { Change, Kind } from "./changes.ts";
import type { Meaning } from "./meaning.ts";

const KINDS: readonly Kind[] = ["added", "changed", "replaced", "deleted"];

export function counts(changes: readonly Change[]): string {
  if (changes.length === 0) return "**No resource changes.**";
  const parts = KINDS.map((kind) => {
    const names = changes.filter((change) => change.kind === kind).map(({ name }) => `\`${name}\``);
    return names.length === 0 ? "" : `**${names.length} ${kind}**: ${names.join(", ")}`;
  });
  return parts.filter((part) => part !== "").join("  \n");
}

export const list = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(", ");

/**
 * What a plan means, one sentence each.
 * @param calm what is said where nothing restarts: of a part of the services, no more than that
 */
export function sentences(meaning: Meaning, calm = "no running service restarts"): string[] {
  const lines: string[] = [];
  if (meaning.volumesAtRisk.length > 0) {
    lines.push(
      `:warning: **data would be lost** in ${list(meaning.volumesAtRisk)}: \`make up\` refuses this`,
    );
  }
  if (meaning.disposableVolumes.length > 0) {
    lines.push(`deletes logs, series or the like in ${list(meaning.disposableVolumes)}`);
  }
  lines.push(meaning.restarted.length > 0 ? `restarts ${list(meaning.restarted)}` : calm);
  if (meaning.stopped.length > 0) lines.push(`removes ${list(meaning.stopped)}`);
  if (meaning.commands.length > 0) lines.push(`runs ${list(meaning.commands)} afterwards`);
  return [...lines, ...resources(meaning)];
}

function resources(meaning: Meaning): string[] {
  const lines: string[] = [];
  const [before, after] = [meaning.portsBefore.join(", "), meaning.portsAfter.join(", ")];
  if (before !== after) lines.push(`published ports: ${before || "none"} → ${after || "none"}`);
  if (meaning.memoryBefore !== meaning.memoryAfter) {
    lines.push(`memory limits: ${meaning.memoryBefore} → ${meaning.memoryAfter} MiB`);
  }
  return lines;
}
