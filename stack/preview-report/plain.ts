import type { Overrides } from "../../components/generator/overrides.ts";
import type { Preview } from "../preview.ts";
import { changesOf } from "./changes.ts";
import { linesOf } from "./details.ts";
import { summarise } from "./summary.ts";

/** Renders a report as text. @param overrides variables of the shell that override the configuration */
export function renderPlain(preview: Preview, overrides: Overrides = {}): string {
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
  return [...summary, ...overrideLines(overrides), ...details].join("\n");
}

const overrideLines = (overrides: Overrides): string[] =>
  Object.entries(overrides).map(
    ([name, value]) => `Override: ${name}=${value} of the shell, for this run only`,
  );
