import { globSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { areas } from "../../../bench/mutation/areas.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** Node's globs do not support nested lists, so each name of a list is searched separately. */
const alternatives = (glob: string): string[] => {
  const [, head = "", list = "", tail = ""] = /^(.*?)\{([^}]*)\}(.*)$/.exec(glob) ?? [];
  return list === "" ? [glob] : list.split(",").map((name) => `${head}${name}${tail}`);
};

test.each(Object.entries(areas))("every file of the area %s exists", (_, { mutate, tests }) => {
  const globs = [...mutate, ...tests].flatMap(alternatives);
  expect(globs.filter((glob) => globSync(glob, { cwd: ROOT }).length === 0)).toEqual([]);
});
