import { delimiter, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, test, vi } from "vitest";
import { refuseLostData } from "../../../components/shared/whole-stack.ts";

beforeAll(async () => {
  vi.stubEnv("PATH", [join(import.meta.dirname, "engine"), process.env.PATH].join(delimiter));
  await pulumi.runtime.setMocks(
    { newResource: () => ({ id: "", state: {} }), call: () => ({}) },
    "event-pipeline",
    "dev",
  );
});

test("a program without a stored volume whose data cannot be made again is refused", () => {
  vi.stubEnv("STORED_VOLUMES", "event-pipeline-dev-kafka-data\nevent-pipeline-dev-clickhouse-data");
  const declare = (...names: string[]) =>
    refuseLostData(new Set(names.map((name) => `event-pipeline-dev-${name}`)));
  expect(() => declare("clickhouse-data")).toThrow(
    expect.objectContaining({
      message: "This change would delete the data in event-pipeline-dev-kafka-data",
      hint: expect.stringContaining("make clean"),
    }),
  );
  expect(() => declare("clickhouse-data", "kafka-data", "generator-data")).not.toThrow();
});

test("an engine that does not answer, or has no volume yet, refuses nothing", () => {
  vi.stubEnv("STORED_VOLUMES", "");
  expect(() => refuseLostData(new Set())).not.toThrow();
  vi.stubEnv("PATH", "");
  expect(() => refuseLostData(new Set())).not.toThrow();
});
