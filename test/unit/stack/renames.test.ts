import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { PREVIOUS_VOLUMES } from "../../../components/resources/renames.ts";
import { Service, type StackContext } from "../../../components/resources/service.ts";
import { dataVolumes, planStack } from "../../../components/services.ts";
import { planContext } from "./context.ts";
import { recordResources } from "./record.ts";

const { service } = planStack(planContext()).broker;
const [data] = service?.volumes ?? [];
if (!service || !data) throw new Error("the broker has a data volume");
const volumes = [data, { ...data, role: "logs", volume: "logs" }];
const plan = { ...service, configs: [], volumes };

const context: StackContext = {
  stack: "dev",
  labels: [],
  configured: new Map(),
  digest: (text) => pulumi.output(text),
  network: pulumi.output("network-id"),
  protectData: true,
};

const resources = await recordResources(() => {
  new Service("minio", { plan, context }, {});
});

test("a second volume of a service is not taken for the first", () => {
  const declared = resources.filter(({ type }) => type.endsWith(":Volume"));
  expect(declared.map(({ name, options }) => [name, options.aliases ?? []])).toEqual([
    ["minio-data", []],
    ["minio-logs", []],
  ]);
});

test("every renamed volume exists, and no volume has a previous name of another", () => {
  expect(Object.keys(PREVIOUS_VOLUMES).filter((name) => !dataVolumes.has(name))).toEqual([]);
  expect(Object.values(PREVIOUS_VOLUMES).filter((name) => dataVolumes.has(name))).toEqual([]);
});
