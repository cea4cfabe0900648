import type { Preview } from "../preview.ts";
import { changesOf } from "./changes.ts";
import { linesOf } from "./details.ts";
import { meaningOf } from "./meaning.ts";
import { counts, sentences } from "./sentences.ts";

/** The same report for a terminal: what changes, what it means, then property by property. */
export function renderPlain(preview: Preview): string {
  const changes = changesOf(preview.steps);
  const head = [counts(changes), ...sentences(meaningOf(preview, changes))];
  const details = changes.flatMap((change) =>
    change.properties.flatMap((property) => [
      "",
      `${change.name} ${property.path}`,
      ...linesOf(property).map((line) => `  ${line}`),
    ]),
  );
  return [...head.map(withoutMarkup), ...details].join("\n");
}

const withoutMarkup = (line: string): string => line.replaceAll(/\*\*|`|:warning: /g, "");
