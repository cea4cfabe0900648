import { describe, expect, test } from "vitest";
import { scenarioHints } from "../../../cli/scenario.ts";
import { findScenario, scenarioNames } from "../../../generator/behaviour/scenario/scenario.ts";

/** Returns the names that an object says, without its keys of the schema: `Safari 26`, `paid_social`. */
function namesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, content]) =>
    typeof content === "number" ? [key] : namesIn(content),
  );
}

describe.each(scenarioNames().map(findScenario))(
  "what $name shows without --answers",
  (scenario) => {
    const shown = `${scenario.title}\n${scenario.about}\n${scenarioHints(scenario)}`.replaceAll(
      scenario.name,
      "",
    );

    test("has no date, weekday or time", () => {
      expect(shown).not.toMatch(
        /\d{4}-\d\d|\d:\d\d|\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|\d (January|February|March|April|May|June|July|August|September|October|November|December)/,
      );
    });

    test("does not name what changed", () => {
      const { events, update, parameters } = scenario;
      const { experiment: _, ...changed } = parameters;
      const changes = events.map(
        ({ kind: _kind, from: _from, to: _to, what: _what, ...event }) => event,
      );
      const names = namesIn([changes, update, changed]).filter((name) => /[a-z]{4}/i.test(name));
      for (const name of names) expect(shown.toLowerCase()).not.toContain(name.toLowerCase());
    });

    test("has none of the statements that show it", () => {
      for (const query of scenario.queries) expect(shown).not.toContain(query);
    });
  },
);
