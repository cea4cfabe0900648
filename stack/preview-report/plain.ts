import type { Preview } from "../preview.ts";
import { changesOf } from "./changes.ts";
import { linesOf } from "./details.ts";
import { summarise } from "./summary.ts";

/** The report for a terminal: a line per answer, then the properties that change. */
export function renderPlain(preview: Preview): string {
  const changes = changesOf(preview);
  const summary = summarise(changes).flatMap(({ question, answers }) =>
    answers.map((answer) => `${question}: ${answer.replaceAll(/`|:warning: /g, "")}`),
  );
  const details = changes.flatMap(({ name, properties }) =>
    properties.flatMap((property) => [
      "",
      `${name} ${property.path}`,
      ...linesOf(property).map((line) => `  ${line}`),
    ]),
  );
  return [...summary, ...details].join("\n");
}
