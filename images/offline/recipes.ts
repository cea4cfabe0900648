import { images } from "../../pipeline/stack/images.ts";
import {
  copyProject,
  debianRoot,
  goProgram,
  kafkaJars,
  nodeModules,
  nodeProgram,
} from "./prepare.ts";
import type { Recipe } from "./recipe.ts";

/** Sources of the database's stand-in and of what it imports. */
const STAND_IN = ["contract", "embedded", "generator", "pipeline/broker", "package.json"];

/** In the order they are built: a base stands before what builds on it. */
export const recipes = {
  base: {
    tag: "event-pipeline/offline-base:bookworm",
    folder: "base",
    base: null,
    inputs: [],
    prepare: debianRoot,
    differs: "Debian 12 from its package archive",
  },
  node: {
    tag: images.node,
    folder: "node",
    base: "base",
    inputs: ["node_modules/node/package.json"],
    prepare: nodeProgram,
    differs: "Node of the npm package the project pins, which may be a later 24",
  },
  kafka: {
    tag: images.broker,
    folder: "kafka",
    base: "base",
    inputs: ["test/kafka/pom.xml"],
    prepare: kafkaJars,
    differs: "the same jars and entry class as the official image, Debian's Java 17",
  },
  clickhouse: {
    tag: images.database,
    folder: "clickhouse",
    base: "node",
    inputs: [...STAND_IN, "node_modules/chdb/package.json"],
    prepare: (context) => {
      copyProject(context, STAND_IN);
      nodeModules(context, ["chdb", "zod", "yaml", "@platformatic/kafka", "pure-rand"]);
    },
    differs:
      "a stand-in: the embedded engine behind its HTTP interface, without the native protocol, " +
      "users beyond default, replication and query_log",
  },
  postgres: {
    tag: images.postgres,
    folder: "postgres",
    base: "base",
    inputs: [],
    prepare: () => undefined,
    differs: "PostgreSQL 15 of Debian 12",
  },
  prometheus: {
    tag: images.prometheus,
    folder: "prometheus",
    base: "base",
    inputs: [],
    prepare: () => undefined,
    differs: "Prometheus 2.42 of Debian 12",
  },
  "statsd-exporter": {
    tag: images.statsdExporter,
    folder: "statsd-exporter",
    base: "base",
    inputs: [],
    prepare: (context) =>
      goProgram(context, "github.com/prometheus/statsd_exporter", tagOf(images.statsdExporter)),
    differs: "the same release, compiled here",
  },
} as const satisfies Record<string, Recipe>;

export type RecipeName = keyof typeof recipes;
export const RECIPE_NAMES = Object.keys(recipes) as RecipeName[];

function tagOf(image: string): string {
  return image.slice(image.lastIndexOf(":") + 1);
}
