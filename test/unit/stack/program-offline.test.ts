import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { goldenProgram } from "./golden.ts";
import { type RecordedResource, recordProgram, resourceOf } from "./record.ts";
import { expectRules } from "./walk.ts";

const file = join(import.meta.dirname, "../../../config/offline.yaml");
const { config } = parse(readFileSync(file, "utf8")) as { config: Record<string, unknown> };
const resources = await recordProgram(
  "offline",
  Object.fromEntries(Object.entries(config).map(([key, value]) => [key.split(":")[1], value])),
);

const identity = ({ type, name }: RecordedResource) =>
  `${type} ${name.replace(/(?<=^|-)offline$/, "dev")}`;

describe("the program of config/offline.yaml", () => {
  test("follows the rules for every resource", () => expectRules(resources));

  test("declares all of the defaults, except services without an offline image", () => {
    const without = /^(kafka-ui|kafka-exporter|grafana|alert-log)(-|$)/;
    expect(resources.map(identity)).toEqual(
      goldenProgram()
        .filter(({ name }) => !without.test(name))
        .map(identity),
    );
  });

  test("pulls and builds on no image but those of make offline-images", () => {
    const images = resources.flatMap(({ type, inputs }) => {
      if (type.endsWith(":RemoteImage")) return [inputs.name];
      const { args } = (inputs.build ?? {}) as { args?: { BASE?: string; NODE?: string } };
      return [args?.BASE, args?.NODE].filter((image) => image !== undefined);
    });
    expect(images.length).toBeGreaterThan(8);
    for (const image of images) expect(image).toMatch(/^event-pipeline\/offline\//);
  });

  test("shows no page of Prometheus, whose offline image has none", () => {
    const { pages } = resourceOf(resources, "event-pipeline-offline", "Stack").outputs as {
      pages: { title: string }[];
    };
    expect(pages.map(({ title }) => title)).toEqual([
      ...["Kafka", "ClickHouse", "Generator", "Airflow", "Superset"],
    ]);
  });
});
