import type { Change, Property } from "./changes.ts";
import { diffLines, hunks } from "./lines.ts";

/** What differs in each resource, folded. */
export function details(changes: readonly Change[]): string[] {
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
