import { describe, expect, test } from "vitest";
import { planStack } from "../../../components/services.ts";
import { planContext } from "./context.ts";
import { expectGolden } from "./golden.ts";
import { type RecordedResource, recordProgram } from "./record.ts";
import { expectPlanned, expectRules } from "./walk.ts";

const resources: RecordedResource[] = await recordProgram("dev", {});

const find = (name: string, type: string): RecordedResource => {
  const found = resources.find((one) => one.name === name && one.type.endsWith(`:${type}`));
  if (!found) throw new Error(`no ${type} named ${name}`);
  return found;
};

describe("the program with the defaults", () => {
  test("equals the golden files", () => expectGolden(resources));

  test("follows the rules for every resource", () => expectRules(resources));

  test("deploys what the commands plan without Pulumi", () =>
    expectPlanned(resources, planStack(planContext())));

  test.each([
    ["schema", "Command", ["topics", "database-service"]],
    ["generator-service", "Container", ["topics"]],
    ["scheduler-init-run", "Command", ["postgres-databases"]],
    ["scheduler-service", "Container", ["scheduler-init-run"]],
    ["scheduler-web-service", "Container", ["scheduler-init-run"]],
    ["dashboards-service", "Container", ["metrics-service"]],
  ])("starts %s after what it needs", (name, type, before) => {
    const { dependsOn } = find(name, type).options;
    expect(dependsOn).toEqual(expect.arrayContaining(before));
    // The generator publishes while the schema is created.
    if (name === "generator-service") expect(dependsOn).not.toContain("schema");
  });

  test("skips the deletion of Grafana's content only if its volume is deleted", () => {
    const content = resources.filter(({ type }) => type.startsWith("grafana:"));
    expect(content.length).toBeGreaterThan(10);
    for (const { name, options } of content) {
      expect(options.deletedWith, name).toBe("dashboards-library");
    }
    const { inputs } = find("dashboards-library", "Volume");
    expect(find("dashboards-service", "Container").inputs.mounts).toContainEqual(
      expect.objectContaining({ source: inputs.name, target: "/var/lib/grafana" }),
    );
  });

  test("a command that changes data does nothing on deletion", () => {
    for (const { type, inputs, name } of resources) {
      if (type !== "command:local:Command") continue;
      expect(inputs.delete, name).toBeUndefined();
    }
  });
});
