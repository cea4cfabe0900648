import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { EventPipeline, type EventPipelineArgs } from "../../../components/event-pipeline.ts";
import { namesOf, ofType, recordResources, resourceOf } from "./record.ts";

/** Error of a pipeline with wrong settings. */
let refused: unknown;

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

/** A program of somebody else, with an engine and a network of its own. */
const resources = await recordResources("prod", async () => {
  const engine = new docker.Provider("engine", { host: "unix:///run/other.sock" });
  const shop = new pulumi.ComponentResource("shop:index:Shop", "shop", {}, { provider: engine });
  const settings: EventPipelineArgs = {
    network: { portOffset: 1000 },
    kafka: { memoryMiB: 700 },
    airflow: false,
    protectData: true,
    secrets: { adminPassword: "chosen" },
  };
  const events = new EventPipeline("events", settings, {
    parent: shop,
    transformations: [
      ({ type, props, opts }) =>
        type === "docker:index/container:Container"
          ? { props: { ...props, hostname: "of-the-caller" }, opts }
          : undefined,
    ],
  });
  refused = errorOf(
    () => new EventPipeline("refused", { kafka: { mode: "external", bootstrap: "b" } }),
  );
  new docker.Network("mine", { name: "mine" }, { parent: shop });
  return {
    urls: events.pages.map(({ url }) => url),
    password: events.secrets,
    client: events.client,
  };
});

test("a program that embeds the pipeline gives it its engine and transformations", () => {
  const own = resources.filter(({ type }) => type.startsWith("docker:"));
  expect(own.length).toBeGreaterThan(20);
  for (const { name, options } of own) expect(options.provider, name).toBe("engine");
  expect(namesOf(ofType(resources, "docker"))).toEqual(["engine"]);
  for (const { name, inputs } of ofType(resources, "Container")) {
    expect(inputs.hostname, name).toBe("of-the-caller");
  }
});

test("what the whole pipeline shares does not reach the program's other resources", () => {
  expect(resourceOf(resources, "mine", "Network").inputs).toEqual({ name: "mine" });
  expect(resourceOf(resources, "events", "EventPipeline").parent).toBe("shop");
  const { inputs, options } = resourceOf(resources, "kafka-data", "Volume");
  expect(inputs.name).toBe("event-pipeline-events-kafka-data");
  expect(options.protect).toBe(true);
});

test("the program gets addresses and secrets of the parts that it has switched on", () => {
  const { outputs } = resourceOf(resources, "event-pipeline-prod", "Stack");
  expect(outputs).toMatchObject({
    urls: expect.arrayContaining(["http://localhost:4000"]),
    password: { adminPassword: "<secret>", postgresPassword: "<secret>" },
    client: { GENERATOR_INSTANCE: expect.anything() },
  });
  expect(outputs).not.toHaveProperty("client.AIRFLOW_URL");
  expect(namesOf(resources)).not.toContain("airflow");
});

test("wrong settings of such a program are refused as Pulumi prints errors, before a resource", () => {
  expect(pulumi.RunError.isInstance(refused)).toBe(true);
  expect(refused).toMatchObject({
    message: expect.stringMatching(
      /^The stack's configuration is wrong:\n +kafka.bootstrap: must be host:port.*not "b"\n +hint: /,
    ),
  });
  expect(namesOf(resources)).not.toContain("refused");
});
