import type { Preview } from "../preview.ts";
import { type Change, changesOf, type Kind, type Property } from "./changes.ts";
import type { FileMeaning } from "./files.ts";
import { diffLines, hunks } from "./lines.ts";
import { type Meaning, meaningOf } from "./meaning.ts";

/** By this line the comment is found again, to be updated in place. */
export const MARKER = "<!-- event-pipeline: preview -->";

const KINDS: readonly Kind[] = ["added", "changed", "replaced", "deleted"];
/** A comment may have 65,536 characters; what is cut is said. */
const MOST_CHARACTERS = 60_000;

/**
 * The comment on a pull request: what changes, what it means, details folded.
 * @param filesUrl address of the change's own files; without it no picture is shown
 */
export function renderReport(preview: Preview, files: FileMeaning, filesUrl?: string): string {
  const changes = changesOf(preview.steps);
  const meaning = meaningOf(preview, changes);
  const head = [
    MARKER,
    "### What this pull request does to the stack",
    counts(changes),
    ...sentences(meaning, files).map((line) => `- ${line}`),
  ];
  const text = [...head, ...pictures(files, filesUrl), ...details(changes)]
    .join("\n\n")
    .replaceAll(/^(- .*)\n\n(?=- )/gm, "$1\n");
  return text.length <= MOST_CHARACTERS
    ? `${text}\n`
    : `${text.slice(0, MOST_CHARACTERS)}\n\n…cut: the rest is in the workflow's log.\n`;
}

export function counts(changes: readonly Change[]): string {
  if (changes.length === 0) return "**No resource changes.**";
  const parts = KINDS.map((kind) => {
    const names = changes.filter((change) => change.kind === kind).map(({ name }) => `\`${name}\``);
    return names.length === 0 ? "" : `**${names.length} ${kind}**: ${names.join(", ")}`;
  });
  return parts.filter((part) => part !== "").join("  \n");
}

export function sentences(meaning: Meaning, files: FileMeaning): string[] {
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");
  const lines: string[] = [];
  if (meaning.volumesAtRisk.length > 0) {
    lines.push(
      `:warning: **data would be lost** in ${list(meaning.volumesAtRisk)}: \`make up\` refuses this`,
    );
  }
  lines.push(
    meaning.restarted.length > 0
      ? `restarts ${list(meaning.restarted)}`
      : "no running service restarts",
  );
  if (meaning.stopped.length > 0) lines.push(`removes ${list(meaning.stopped)}`);
  if (meaning.commands.length > 0) lines.push(`runs ${list(meaning.commands)} afterwards`);
  lines.push(...resources(meaning));
  if (files.sqlObjects.length > 0) lines.push(`SQL objects: ${list(files.sqlObjects)}`);
  if (files.rebuilt.length > 0) {
    lines.push(
      `changed tables are refused until rebuilt: \`pipeline ddl --rebuild ${files.rebuilt[0]}\` touches ${list(files.rebuilt)}`,
    );
  }
  if (files.topics) lines.push("topics or streams of the contract change");
  if (files.alerts.length > 0) lines.push(`alert rules: ${list(files.alerts)}`);
  if (files.dashboards.length > 0) lines.push(`dashboards: ${list(files.dashboards)}`);
  if (files.dashboards.length > 0 && files.pictures.length === 0) {
    lines.push("their pictures are the old ones: `node scripts/picture-dashboards.ts` draws them");
  }
  return lines;
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

/** Dashboards as the change has drawn them; nothing is drawn here. */
function pictures(files: FileMeaning, filesUrl: string | undefined): string[] {
  if (files.pictures.length === 0 || filesUrl === undefined) return [];
  const images = files.pictures.map((path) => `![${path}](${filesUrl}/${path})`);
  return [
    ["<details><summary>Dashboards drawn anew</summary>", ...images, "</details>"].join("\n\n"),
  ];
}

function details(changes: readonly Change[]): string[] {
  return changes
    .filter(({ properties }) => properties.length > 0)
    .map(({ name, type, kind, properties }) =>
      [
        `<details><summary>${type} <code>${name}</code> ${kind}</summary>`,
        ...properties.map(renderProperty),
        "</details>",
      ].join("\n\n"),
    );
}

export const linesOf = ({ before, after }: Property): string[] =>
  hunks(diffLines(asText(before), asText(after)));

function renderProperty(property: Property): string {
  const lines = linesOf(property);
  const fence = "`".repeat(Math.max(3, longestTicks(lines) + 1));
  return [`\`${property.path}\``, "", `${fence}diff`, ...lines, fence].join("\n");
}

const asText = (value: unknown): string => {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
};

const longestTicks = (lines: readonly string[]): number =>
  Math.max(0, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)));
