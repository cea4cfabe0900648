/** Scenarios: reads and checks the files in scenarios/. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { UserError } from "../../contract/errors.ts";
import { didYouMean } from "../suggestion.ts";
import { type Scenario, scenarioSchema } from "./schema.ts";

export const SCENARIOS_ROOT = join(import.meta.dirname, "../../scenarios");

export const scenarioNames = (): string[] =>
  globSync("*.yaml", { cwd: SCENARIOS_ROOT })
    .map((file) => basename(file, ".yaml"))
    .toSorted();

/** @throws UserError if there is no scenario with the name */
export function findScenario(name: string): Scenario {
  const names = scenarioNames();
  if (!names.includes(name)) {
    throw new UserError(
      `There is no scenario ${name}${didYouMean(name, names) || "."} Allowed: ${names.join(", ")}`,
      "run `pipeline scenario` for a list",
    );
  }
  return parseScenario(name, readFileSync(join(SCENARIOS_ROOT, `${name}.yaml`), "utf8"));
}

/** @throws UserError that names the file, the place and the problem */
export function parseScenario(name: string, text: string): Scenario {
  const { success, data, error } = scenarioSchema.safeParse(parse(text));
  if (success) return { ...data, name };
  const problems = error.issues.map(
    ({ path, message }) => `  ${path.join(".") || "(top)"}: ${message}`,
  );
  throw new UserError(
    `scenarios/${name}.yaml is not a scenario:\n${problems.join("\n")}`,
    "correct the file; generator/scenario/schema.ts has the schema",
  );
}
