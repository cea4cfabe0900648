import { describe, expect, test } from "vitest";
import { lostData, refuseLoss } from "../../../stack/guard.ts";
import { parsePreview } from "../../../stack/preview.ts";

const VOLUME = "docker:index/volume:Volume";
const PASSWORD = "random:index/randomPassword:RandomPassword";
const step = (op: string, name: string, type = VOLUME) => ({
  op,
  urn: `urn:pulumi:dev::event-pipeline::eventpipeline:broker:Broker$${type}::${name}`,
  oldState: { inputs: { name: `event-pipeline-dev-${name}` } },
});
const preview = (...steps: object[]) => parsePreview(JSON.stringify({ steps }));

describe("the guard", () => {
  test.each(["delete", "replace", "create-replacement", "delete-replaced"])(
    "names a volume with data that a plan would %s",
    (op) => {
      expect(lostData(preview(step(op, "broker-data")))).toEqual([
        "event-pipeline-dev-broker-data",
      ]);
    },
  );

  test("names a volume once, however many steps replace it", () => {
    const plan = preview(
      step("delete-replaced", "database-data"),
      step("replace", "database-data"),
    );
    expect(lostData(plan)).toHaveLength(1);
  });

  test("lets go what is made again: configuration, containers, new volumes", () => {
    const plan = preview(
      step("delete", "broker-ui-config"),
      step("replace", "broker-service", "docker:index/container:Container"),
      step("create", "generator-data"),
      step("same", "broker-data"),
    );
    expect(lostData(plan)).toEqual([]);
    expect(() => refuseLoss(plan, "dev")).not.toThrow();
  });

  test("lets a service be switched off whose data are disposable", () => {
    const plan = preview(
      step("delete", "metrics-series"),
      step("delete", "scheduler-logs"),
      step("replace", "dashboards-library"),
    );
    expect(lostData(plan)).toEqual([]);
  });

  test.each(["postgres-bi-secret-key-2", "bi-secret-key-2", "postgres-scheduler-fernet-key-2"])(
    "refuses to delete the key %s, as a lower generation would",
    (key) => {
      const plan = preview({ ...step("delete", key, PASSWORD), oldState: { inputs: {} } });
      expect(() => refuseLoss(plan, "dev")).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(`would delete the encryption keys ${key}`),
          hint: expect.stringContaining("Pulumi.dev.yaml"),
        }),
      );
    },
  );

  test("allows the loss of a password that can be set again", () => {
    const plan = preview(step("delete", "postgres-bi-password", PASSWORD));
    expect(() => refuseLoss(plan, "dev")).not.toThrow();
  });

  test("refuses and says which command deletes on purpose", () => {
    expect(() => refuseLoss(preview(step("delete", "broker-data")), "second")).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("event-pipeline-dev-broker-data"),
        hint: expect.stringContaining("make clean STACK=second"),
      }),
    );
  });
});
