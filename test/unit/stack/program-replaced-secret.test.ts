import { expect, test } from "vitest";
import { namesOf, ofType, recordProgram, UNKNOWN_SECRET } from "./record.ts";

const resources = await recordProgram("dev", {}, ["clickhouse-password", "clickhouse-bi-password"]);
const isUnknown = (value: unknown): boolean =>
  (JSON.stringify(value) ?? "").includes(UNKNOWN_SECRET);

test("a preview of a replaced secret replaces only containers with a file of it", () => {
  const changed = ofType(resources, "Container").filter(({ inputs }) => isUnknown(inputs));
  expect(namesOf(changed)).toEqual(["airflow", "clickhouse"]);
  for (const { name, inputs } of changed) {
    const { uploads, ...others } = inputs;
    expect(isUnknown(others), name).toBe(false);
    const known = (uploads as object[]).filter((one) => !isUnknown(one));
    expect(known.length, name).toBe((uploads as object[]).length - 1);
  }
});

test("and runs commands again that log in with it, but no long ones", () => {
  const commands = ofType(resources, "Command");
  const again = commands.filter(({ inputs }) => isUnknown(inputs) && inputs.update !== ":");
  expect(namesOf(again)).toEqual(["schema", "superset-assets", "topics"]);
  expect(namesOf(commands.filter(({ inputs }) => isUnknown(inputs.triggers)))).toEqual([]);
});
