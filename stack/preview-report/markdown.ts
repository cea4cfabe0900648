import type { Change } from "./changes.ts";
import { details } from "./details.ts";
import { rebuildDetails, type SchemaImpact, schemaSentences, tableLoss } from "./schema.ts";
import { type Answer, summarise } from "./summary.ts";

/** First line of the comment, by which a later run finds it. */
export const MARKER = "<!-- event-pipeline: preview -->";

/** Size limit; GitHub allows 65,536 characters in a comment. */
const MAX_CHARACTERS = 60_000;

interface Comparison {
  /** All resources, including unchanged ones. */
  readonly changes: readonly Change[];
  readonly schema: SchemaImpact;
  readonly pictures: readonly string[];
  /** Address of the pictures; without it the report shows none. */
  readonly filesUrl?: string | undefined;
}

export function renderReport({ changes, schema, pictures, filesUrl }: Comparison): string {
  const answers = summarise(changes, tableLoss(schema));
  const sentences = schemaSentences(schema);
  const parts = [
    MARKER,
    "### What this pull request changes in the stack",
    "The declared program with its default configuration, compared with the merge base. Nothing was started.",
    table(answers),
    ...(sentences.length > 0 ? ["#### Schema", bullets(sentences)] : []),
    ...rebuildDetails(schema),
    ...pictureParts(answers, pictures, filesUrl),
  ];
  return `${withDetails(parts, details(changes)).join("\n\n")}\n`;
}

const table = (answers: readonly Answer[]): string =>
  [
    "| | |",
    "|---|---|",
    ...answers.map(({ question, answers: lines }) => `| **${question}** | ${lines.join("<br>")} |`),
  ].join("\n");

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");

function pictureParts(
  answers: readonly Answer[],
  pictures: readonly string[],
  filesUrl: string | undefined,
): string[] {
  const dashboards = answers.find(({ question }) => question === "Dashboards")?.answers ?? [];
  if (pictures.length === 0) {
    return dashboards.includes("none") ? [] : ["The pictures of these dashboards are out of date."];
  }
  if (filesUrl === undefined) return [];
  const images = pictures.map((path) => `![${path}](${filesUrl}/${path})`);
  return [["<details><summary>Dashboards</summary>", ...images, "</details>"].join("\n\n")];
}

function withDetails(parts: readonly string[], all: readonly string[]): string[] {
  const shown = [...parts];
  let length = shown.join("\n\n").length;
  for (const [index, detail] of all.entries()) {
    length += detail.length + 2;
    if (length > MAX_CHARACTERS) {
      return [
        ...shown,
        `The details of ${all.length - index} more resources are too long to show.`,
      ];
    }
    shown.push(detail);
  }
  return shown;
}
