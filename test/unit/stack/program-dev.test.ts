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

  test("starts the schema after the topics and the database", () => {
    expect(find("schema", "Command").options.dependsOn).toEqual(
      expect.arrayContaining(["topics", "database-service"]),
    );
  });

  test("starts the generator after the topics, parallel to the schema", () => {
    const { dependsOn } = find("generator-service", "Container").options;
    expect(dependsOn).toContain("topics");
    expect(dependsOn).not.toContain("schema");
  });

  test("starts scheduler and web server after the job that prepares their database", () => {
    for (const name of ["scheduler-service", "scheduler-web-service"]) {
      expect(find(name, "Container").options.dependsOn).toEqual(
        expect.arrayContaining(["scheduler-init-run"]),
      );
    }
    expect(find("scheduler-init-run", "Command").options.dependsOn).toEqual(
      expect.arrayContaining(["postgres-databases"]),
    );
    expect(find("scheduler-init-container", "Container").inputs).toMatchObject({ start: false });
  });

  test("starts Grafana after the metrics store", () => {
    expect(find("dashboards-service", "Container").options.dependsOn).toContain("metrics-service");
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
