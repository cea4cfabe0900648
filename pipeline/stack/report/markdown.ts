import type { Preview } from "../preview.ts";
import type { Comparison } from "./base.ts";
import { type Change, changesOf, type Property } from "./changes.ts";
import { details } from "./details.ts";
import type { FileMeaning } from "./files.ts";
import { meaningOf, servicesOf } from "./meaning.ts";
import { type MonitoringMeaning, meaningOfMonitoring } from "./monitoring.ts";
import { rebuildDetails, schemaSentences } from "./schema.ts";
import { counts, list, sentences } from "./sentences.ts";

/** By this line the comment is found again, to be updated in place. */
export const MARKER = "<!-- event-pipeline: preview -->";

/** A comment may have 65,536 characters; what is cut is said. */
const MOST_CHARACTERS = 60_000;

interface Beside {
  /** Address of the change's own files; without it no picture is shown. */
  readonly filesUrl?: string | undefined;
  /** What the base records; without it the preview speaks for the whole stack. */
  readonly comparison?: Comparison | undefined;
}

/** The comment on a pull request: what changes, what it means, details folded. */
export function renderReport(
  preview: Preview,
  files: FileMeaning,
  { filesUrl, comparison }: Beside = {},
): string {
  const changes = changesOf(preview.steps);
  const declared = comparison?.declared ? changesOf(comparison.declared.steps) : [];
  const monitoring = comparison?.declared ? meaningOfMonitoring(declared) : files;
  const schema = comparison?.schema;
  const rest = [...(schema ? schemaSentences(schema) : []), ...beyond(files, monitoring)];
  const text = [
    MARKER,
    "### What this pull request does to the stack",
    ...previewed(preview, changes, comparison),
    ...declaredPart(comparison, declared, servicesOf(preview.steps)),
    ...(comparison && rest.length > 0 ? ["#### Data, topics, monitoring"] : []),
    ...points(rest),
    ...(schema ? rebuildDetails(schema) : []),
    ...pictures(files, filesUrl),
    ...details([...changes, ...withoutKnown(declared, changes)]),
  ]
    .join("\n\n")
    .replaceAll(/^(- .*)\n\n(?=- )/gm, "$1\n");
  return text.length <= MOST_CHARACTERS
    ? `${text}\n`
    : `${text.slice(0, MOST_CHARACTERS)}\n\n…cut: the rest is in the workflow's log.\n`;
}

const points = (lines: readonly string[]): string[] => lines.map((line) => `- ${line}`);

/** What a running stack would do; with others declared, it speaks for its own services alone. */
function previewed(
  preview: Preview,
  changes: readonly Change[],
  comparison: Comparison | undefined,
): string[] {
  const meaning = meaningOf(preview, changes);
  if (!comparison) return [counts(changes), ...points(sentences(meaning))];
  return [
    `#### On a running stack of ${list(servicesOf(preview.steps))}`,
    counts(changes),
    ...points(sentences(meaning, "none of these services restarts")),
  ];
}

/** What the whole program declares otherwise than the base's, of services that nothing ran for. */
function declaredPart(
  comparison: Comparison | undefined,
  changes: readonly Change[],
  ran: readonly string[],
): string[] {
  if (!comparison) return [];
  const others = comparison.services.filter((name) => !ran.includes(name));
  const notRun = others.length > 0 ? `not run for this: ${list(others)}` : "all of them ran";
  const title = "#### As declared with the defaults, against the base";
  if (!comparison.declared) {
    return [title, `:warning: Not compared: the base records no program; ${notRun}`];
  }
  const meaning = meaningOf(comparison.declared, changes);
  const calm = "nothing that is declared restarts a service";
  return [title, counts(changes), ...points([...sentences(meaning, calm), notRun])];
}

/** Details that the preview has shown already are shown once, whatever each calls the path. */
function withoutKnown(declared: readonly Change[], known: readonly Change[]): Change[] {
  const key = ({ type, name }: Change, { before, after }: Property) =>
    JSON.stringify([type, name, before, after]);
  const shown = new Set(known.flatMap((one) => one.properties.map((each) => key(one, each))));
  return declared.map((one) => ({
    ...one,
    properties: one.properties.filter((each) => !shown.has(key(one, each))),
  }));
}

function beyond(files: FileMeaning, { alerts, dashboards }: MonitoringMeaning): string[] {
  const lines: string[] = [];
  if (files.topics) lines.push("topics or streams of the contract change");
  if (alerts.length > 0) lines.push(`alert rules: ${list(alerts)}`);
  if (dashboards.length > 0) lines.push(`dashboards: ${list(dashboards)}`);
  if (dashboards.length > 0 && files.pictures.length === 0) {
    lines.push("their pictures are the old ones: `node scripts/picture-dashboards.ts` draws them");
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
