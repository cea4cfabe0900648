import { describe, expect, test } from "vitest";
import { lostData, refuseLoss } from "../../../stack/data-loss-guard.ts";
import { previewFrom } from "../../../stack/preview.ts";

const VOLUME = "docker:index/volume:Volume";
const PASSWORD = "random:index/randomPassword:RandomPassword";
const LABELS = [
  { label: "event-pipeline.stack", value: "dev" },
  { label: "event-pipeline.data", value: "irreplaceable" },
];
const step = (op: string, name: string, { type = VOLUME, labels = LABELS } = {}) => ({
  op,
  urn: `urn:pulumi:dev::event-pipeline::eventpipeline:index:Service$${type}::${name}`,
  oldState: { inputs: { name: `event-pipeline-dev-${name}`, labels } },
});
const preview = (...steps: object[]) => previewFrom({ steps });

describe("the guard", () => {
  test.each(["delete", "replace", "create-replacement", "delete-replaced"])(
    "names a volume with irreplaceable data that a preview would %s",
    (op) => {
      expect(lostData(preview(step(op, "kafka-data")))).toEqual(["event-pipeline-dev-kafka-data"]);
    },
  );

  test("names a volume once, however many steps replace it", () => {
    const both = preview(
      step("delete-replaced", "clickhouse-data"),
      step("replace", "clickhouse-data"),
    );
    expect(lostData(both)).toHaveLength(1);
  });

  test("allows the replacement of containers, new volumes and disposable data", () => {
    const allowed = preview(
      step("replace", "kafka", { type: "docker:index/container:Container" }),
      step("create", "generator-data"),
      step("same", "kafka-data"),
      step("delete", "prometheus-data", { labels: LABELS.slice(0, 1) }),
      step("replace", "grafana-data", { labels: [] }),
    );
    expect(lostData(allowed)).toEqual([]);
    expect(() => refuseLoss(allowed, "dev")).not.toThrow();
  });

  test.each(["superset-secret-key-2", "airflow-fernet-key-2"])(
    "refuses to delete the key %s, as a lower generation would",
    (key) => {
      const lost = preview({
        ...step("delete", key, { type: PASSWORD }),
        oldState: { inputs: {} },
      });
      expect(() => refuseLoss(lost, "dev")).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(`would delete the encryption keys ${key}`),
          hint: expect.stringContaining("Pulumi.dev.yaml"),
        }),
      );
    },
  );

  test("allows the loss of a password that can be set again", () => {
    const lost = preview(step("delete", "superset-database-password", { type: PASSWORD }));
    expect(() => refuseLoss(lost, "dev")).not.toThrow();
  });

  test("refuses with the commands that keep the data beside the change, or delete it on purpose", () => {
    expect(() => refuseLoss(preview(step("delete", "kafka-data")), "second")).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("event-pipeline-dev-kafka-data"),
        hint: expect.stringMatching(
          /make up STACK=NAME CONFIG=Pulumi\.second\.yaml OFFSET=1000.*make clean STACK=second$/,
        ),
      }),
    );
  });
});
