import { expect, test } from "vitest";
import { recordProgram } from "./record.ts";

/** A value that a preview does not know, as the program sends it. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const resources = await recordProgram("dev", {}, ["database-password", "database-bi-password"]);
const isUnknown = (value: unknown): boolean => JSON.stringify(value).includes(UNKNOWN);
const labelsOf = (name: string) => {
  const found = resources.find((one) => one.name === name && one.type.includes("Container"));
  return found?.inputs.labels as { label: string; value: string }[];
};

test("a preview of a replaced secret leaves independent resources unchanged", () => {
  const containers = resources.filter(({ type }) => type === "docker:index/container:Container");
  const changed = containers.filter(({ inputs }) => isUnknown(inputs.labels));
  expect(changed.map(({ name }) => name)).toEqual([
    "database-service",
    "scheduler-service",
    "scheduler-web-service",
  ]);
});

test("keeps the other digests of the same service known", () => {
  const unknown = labelsOf("database-service").filter(isUnknown);
  expect(unknown.map(({ label }) => label)).toEqual(["event-pipeline.administrator"]);
});

test("runs no command that logs in with it, unless the command stores it", () => {
  const commands = resources.filter(({ inputs }) => inputs.triggers && inputs.environment);
  for (const { name, inputs } of commands) expect(inputs.update, name).toBe(":");
  const triggered = commands.filter(({ inputs }) => isUnknown(inputs.triggers));
  expect(triggered.map(({ name }) => name)).toEqual(["bi-assets"]);
});
