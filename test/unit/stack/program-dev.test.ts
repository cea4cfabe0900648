import { describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import { type Recorded, recordProgram } from "./record.ts";
import { expectRules } from "./walk.ts";

const resources: Recorded[] = await recordProgram("dev", {});

const find = (name: string, type: string): Recorded => {
  const found = resources.find((one) => one.name === name && one.type.endsWith(`:${type}`));
  if (!found) throw new Error(`no ${type} named ${name}`);
  return found;
};

describe("the program with the defaults", () => {
  test("is what the golden file says", () => expectGolden("dev", resources));

  test("keeps the rules of every resource", () => expectRules(resources));

  test("starts the schema after the topics and the database", () => {
    expect(find("schema", "Command").options.dependsOn).toEqual(
      expect.arrayContaining(["topics", "database-service"]),
    );
  });

  test("starts the generator after the topics, and while the schema is made", () => {
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

  test("names a data volume by its role, and finds it under its previous name", () => {
    const volumes = resources.filter(({ type }) => type === "docker:index/volume:Volume");
    const renamed = volumes.filter(({ options }) => options.aliases);
    expect(renamed.map(({ name, options }) => [name, options.aliases])).toEqual([
      ["dashboards-library", ["dashboards-data"]],
      ["metrics-series", ["metrics-data"]],
      ["scheduler-logs", ["scheduler-data"]],
    ]);
    expect(volumes.filter(({ options }) => options.protect)).toEqual([]);
  });

  test("a command that changes data does nothing when it is deleted", () => {
    for (const { type, inputs, name } of resources) {
      if (type !== "command:local:Command") continue;
      expect(inputs.delete, name).toBeUndefined();
    }
  });
});
