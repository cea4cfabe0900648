import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { expectGolden } from "./golden.ts";
import { recordProgram } from "./record.ts";
import { expectRules } from "./walk.ts";

const file = join(import.meta.dirname, "../../../Pulumi.offline.yaml");
const { config } = parse(readFileSync(file, "utf8")) as { config: Record<string, unknown> };
const resources = await recordProgram(
  "offline",
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key.split(":")[1], value])),
);

describe("the program of Pulumi.offline.yaml", () => {
  test("equals the golden file", () => expectGolden("offline", resources));

  test("follows the rules for every resource", () => expectRules(resources));

  test("has no broker UI, because its image cannot be built from package registries", () => {
    expect(resources.filter(({ name }) => name.startsWith("broker-ui"))).toEqual([]);
  });
});
