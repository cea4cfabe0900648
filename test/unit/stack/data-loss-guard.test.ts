import { describe, expect, test } from "vitest";
import { lostData, refuseLoss } from "../../../stack/data-loss-guard.ts";
import { previewFrom } from "../../../stack/preview.ts";

const VOLUME = "docker:index/volume:Volume";
const PASSWORD = "random:index/randomPassword:RandomPassword";
const step = (op: string, name: string, type = VOLUME) => ({
  op,
  urn: `urn:pulumi:dev::event-pipeline::eventpipeline:broker:Broker$${type}::${name}`,
  oldState: { inputs: { name: `event-pipeline-dev-${name}` } },
});
const CONFIGURATION = `eventpipeline:config:ConfigVolume$${VOLUME}`;
const preview = (...steps: object[]) => previewFrom({ steps });

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

  test("allows the replacement of configuration, containers and new volumes", () => {
    const plan = preview(
      step("delete", "broker-ui-config", CONFIGURATION),
      step("replace", "broker-service", "docker:index/container:Container"),
      step("create", "generator-data"),
      step("same", "broker-data"),
    );
    expect(lostData(plan)).toEqual([]);
    expect(() => refuseLoss(plan, "dev")).not.toThrow();
  });

  test("refuses the loss of a removed service's data, whose declaration is gone", () => {
    expect(lostData(preview(step("delete", "store-files")))).toHaveLength(1);
  });

  test("allows switching off a service with disposable data", () => {
    const plan = preview(
      step("delete", "metrics-series"),
      step("delete", "scheduler-logs"),
      step("replace", "dashboards-library"),
    );
    expect(lostData(plan)).toEqual([]);
  });

  test.each([
    ["postgres-data", "kept with scheduler.enabled or bi.enabled"],
    ["generator-data", "kept with generator.deploy"],
    ["broker-data", "kept with broker.mode=container and broker.nodes=1. Nothing"],
    ["broker-2-data", "kept with broker.mode=container and broker.nodes=3. Nothing"],
  ])("names the setting that switches off the service of %s", (volume, text) => {
    expect(() => refuseLoss(preview(step("delete", volume)), "dev")).toThrow(text);
  });

  test.each(["postgres-bi-secret-key-2", "postgres-scheduler-fernet-key-2"])(
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

  test("refuses with the commands that keep the data beside the change, or delete it on purpose", () => {
    expect(() => refuseLoss(preview(step("delete", "broker-data")), "second")).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("event-pipeline-dev-broker-data"),
        hint: expect.stringMatching(
          /make up STACK=NAME CONFIG=Pulumi\.second\.yaml OFFSET=1000.*make clean STACK=second$/,
        ),
      }),
    );
  });
});
