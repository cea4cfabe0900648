import { diff } from "node:util";
import type { Change, Property } from "./changes.ts";

export const details = (changes: readonly Change[]): string[] =>
  changes
    .filter(({ properties }) => properties.length > 0)
    .map(({ name, type, kind, properties }) =>
      [
        `<details><summary>${type.split(":").at(-1)} <code>${name}</code> ${kind}</summary>`,
        ...properties.map(renderProperty),
        "</details>",
      ].join("\n\n"),
    );

function renderProperty(property: Property): string {
  const lines = linesOf(property);
  const fence = "`".repeat(Math.max(3, longestTicks(lines) + 1));
  return [`\`${property.path}\``, "", `${fence}diff`, ...lines, fence].join("\n");
}

const longestTicks = (lines: readonly string[]): number =>
  Math.max(0, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([ticks]) => ticks.length)));

/** Signs by mark of `util.diff`, where 1 is a line of the first value only. */
const MARKS = { "1": "-", "0": " ", "-1": "+" } as const;

const CONTEXT = 2;

/** Returns the changed lines with context; a gap is one line `…`. */
export function linesOf({ before, after }: Pick<Property, "before" | "after">): string[] {
  const entries = diff(textLines(before), textLines(after));
  const isNear = (index: number): boolean =>
    entries.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([mark]) => mark !== 0);
  return entries.flatMap(([mark, line], index) => {
    if (isNear(index)) return [`${MARKS[mark]} ${line}`];
    return index === 0 || isNear(index - 1) ? ["  …"] : [];
  });
}

function textLines(value: unknown): string[] {
  if (value === undefined) return [];
  return (typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n");
}
