import { describe, expect, test } from "vitest";
import { goldenProgram } from "./golden.ts";
import { type RecordedResource, recordProgram } from "./record.ts";

const KEY = /-(secret|fernet)-key-\d+$/;
const keysOf = (resources: readonly RecordedResource[]) =>
  resources.filter(({ name }) => KEY.test(name));

const resources = await recordProgram("dev", {
  bi: { enabled: false, secretKeyGeneration: 3 },
});

describe("the program with Superset switched off", () => {
  test("keeps the keys of its data unchanged, because Postgres keeps the data", () => {
    expect(resources.find(({ name }) => name === "postgres-data")).toBeDefined();
    expect(resources.find(({ name }) => name === "bi")).toBeUndefined();
    const keys = keysOf(goldenProgram());
    expect(keys).toHaveLength(2);
    expect(resources).toEqual(expect.arrayContaining(keys));
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
