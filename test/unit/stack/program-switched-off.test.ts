import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type RecordedResource, recordProgram } from "./record.ts";

const GOLDEN = join(import.meta.dirname, "../../golden/stack-dev.json");
const KEY = /-(secret|fernet)-key-\d+$/;
const keysOf = (resources: readonly RecordedResource[]) =>
  resources.filter(({ name }) => KEY.test(name));

const whole: RecordedResource[] = JSON.parse(readFileSync(GOLDEN, "utf8"));
const resources = await recordProgram("dev", {
  bi: { enabled: false, secretKeyGeneration: 3 },
});

describe("the program with Superset switched off", () => {
  test("keeps the keys of its data unchanged, because Postgres keeps the data", () => {
    expect(resources.find(({ name }) => name === "postgres-data")).toBeDefined();
    expect(resources.find(({ name }) => name === "bi")).toBeUndefined();
    expect(keysOf(whole)).toHaveLength(2);
    expect(resources).toEqual(expect.arrayContaining(keysOf(whole)));
  });

  test("keeps the keys of all generations", () => {
    expect(keysOf(resources).map(({ name }) => name)).toEqual([
      "postgres-bi-secret-key-1",
      "postgres-bi-secret-key-2",
      "postgres-bi-secret-key-3",
      "postgres-scheduler-fernet-key-1",
    ]);
  });
});
