import { expect, test } from "vitest";
import { createProgram } from "../../../cli/program.ts";
import { placesOf } from "../../../cli/scenario.ts";
import { scenarioNames } from "../../../generator/behaviour/scenario/scenario.ts";
import { dataOf, otherData, repairData } from "../../../labs/data.ts";
import { readLabs } from "../../../labs/lab.ts";

async function defaultOf(name: string, option: string): Promise<string> {
  const { commands } = await createProgram(name);
  const [command] = commands[0]?.commands.length ? commands[0].commands.slice(1) : commands;
  return command?.options.find(({ long }) => long === option)?.defaultValue;
}

test("no two commands have the same workspace or report", async () => {
  const scenarios = scenarioNames().map(placesOf);
  const labs = await defaultOf("lab", "--database");
  const ofLabs = readLabs().flatMap((lab) => {
    const place = dataOf(lab, labs);
    return [place, otherData(place), repairData(lab, place)];
  });
  const places = [
    ...scenarios.flatMap(({ database, report }) => [database, report]),
    ...new Set(ofLabs),
    await defaultOf("demo", "--database"),
    await defaultOf("demo", "--report"),
    await defaultOf("import", "--database"),
  ];
  expect(places).not.toContain(undefined);
  expect(new Set(places).size).toBe(places.length);
});
