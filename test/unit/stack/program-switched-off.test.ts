import { describe, expect, test } from "vitest";
import { isEncryptionKey } from "../../../components/secrets.ts";
import { goldenProgram } from "./golden.ts";
import { namesOf, type RecordedResource, recordProgram, resourceOf } from "./record.ts";
import { expectRules } from "./walk.ts";

const keysOf = (resources: readonly RecordedResource[]) =>
  resources.filter(({ name }) => isEncryptionKey(name));

const resources = await recordProgram("dev", {
  superset: false,
  postgres: { supersetKeyGeneration: 3 },
  prometheus: false,
  generator: false,
});

describe("the program with Superset, Prometheus and the generator switched off", () => {
  test("follows the rules for every resource", () => expectRules(resources));

  test("has no resource of them, nor of what needs them", () => {
    const off = /^(superset|prometheus|generator|grafana|alert-log|kafka-exporter|statsd-exporter)/;
    const isKept = (name: string) =>
      name === "generator-data" || isEncryptionKey(name) || !off.test(name);
    expect(namesOf(resources).filter((name) => !isKept(name))).toEqual([]);
    const { envs } = resourceOf(resources, "airflow").inputs;
    expect(JSON.stringify(envs)).not.toMatch(/GENERATOR_URL|STATSD|CONTROL_TOKEN/);
  });

  test("keeps the keys of Superset's data of all generations, because Postgres keeps the data", () => {
    const keys = keysOf(goldenProgram());
    expect(namesOf(keys)).toEqual(["airflow-fernet-key-1", "superset-secret-key-1"]);
    expect(resources).toEqual(expect.arrayContaining(keys));
    expect(namesOf(keysOf(resources))).toEqual([
      "airflow-fernet-key-1",
      "superset-secret-key-1",
      "superset-secret-key-2",
      "superset-secret-key-3",
    ]);
  });

  test("fills nothing and leaves the schedule as it is, because nothing is published", () => {
    expect(namesOf(resources).filter((name) => name.startsWith("live-"))).toEqual([]);
  });
});
