import { libraryPackage } from "../../warehouse/engine/library.ts";
import { compileGo, prometheusModule, statsdModule } from "./go.ts";
import { BASE_IMAGE, offlineImages } from "./names.ts";
import {
  copyProject,
  debianRoot,
  kafkaJars,
  nodeModules,
  nodeProgram,
  pythonWheels,
} from "./prepare.ts";
import type { Recipe } from "./recipe.ts";

/** Sources of the database's launcher, and the packages that they import. */
const DATABASE_SOURCES = [
  "contract",
  "kafka",
  "warehouse/database/http.ts",
  "warehouse/engine",
  "warehouse/epochs",
  "warehouse/ingest/consumption.ts",
  "warehouse/sql.ts",
  "package.json",
];
const DATABASE_PACKAGES = [
  libraryPackage(`linux-${process.arch}`),
  "ffi-rs",
  "@clickhouse/client",
  "yaml",
  "zod",
];

/** Recipes in build order, bases first. */
export const recipes = {
  base: {
    tag: BASE_IMAGE,
    folder: "base",
    base: null,
    inputs: [],
    prepare: debianRoot,
    differs: "Debian 12 from its package archive",
  },
  node: {
    tag: offlineImages.node,
    folder: "node",
    base: "base",
    inputs: ["node_modules/node/package.json"],
    prepare: nodeProgram,
    differs: "Node of the npm package that the project pins",
  },
  kafka: {
    tag: offlineImages.kafka,
    folder: "kafka",
    base: "base",
    inputs: ["test/kafka/pom.xml"],
    prepare: kafkaJars,
    differs: "the jars and entry class of the official image, with Debian's Java 17",
  },
  clickhouse: {
    tag: offlineImages.clickhouse,
    folder: "clickhouse",
    base: "node",
    inputs: [
      ...DATABASE_SOURCES,
      ...DATABASE_PACKAGES.map((name) => `node_modules/${name}/package.json`),
    ],
    prepare: (context) => {
      copyProject(context, DATABASE_SOURCES);
      nodeModules(context, DATABASE_PACKAGES);
    },
    differs:
      "ClickHouse's server from its library in npm, without users made by SQL, replication and TLS",
  },
  postgres: {
    tag: offlineImages.postgres,
    folder: "postgres",
    base: "base",
    inputs: [],
    prepare: () => undefined,
    differs: "PostgreSQL 15 of Debian 12",
  },
  superset: {
    tag: offlineImages.superset,
    folder: "superset",
    base: "base",
    inputs: ["superset/requirements.txt"],
    prepare: (context) => pythonWheels(context, "superset/requirements.txt"),
    differs: "the same release from PyPI with Debian's Python 3.11",
  },
  airflow: {
    tag: offlineImages.airflow,
    folder: "airflow",
    base: "base",
    inputs: ["airflow/requirements.lock"],
    prepare: (context) => pythonWheels(context, "airflow/requirements.lock"),
    differs: "the same locked release from PyPI with Debian's Python 3.11",
  },
  prometheus: {
    tag: offlineImages.prometheus,
    folder: "prometheus",
    base: "base",
    inputs: ["images/offline/go.ts"],
    prepare: (context) => {
      compileGo(context, prometheusModule, "cmd/prometheus");
    },
    differs: "the same release, compiled without cloud service discovery and web pages",
  },
  "statsd-exporter": {
    tag: offlineImages.statsdExporter,
    folder: "statsd-exporter",
    base: "base",
    inputs: [],
    prepare: (context) => compileGo(context, statsdModule),
    differs: "the same release, compiled on this machine",
  },
  "kafka-exporter": {
    tag: offlineImages.kafkaExporter,
    folder: "kafka-exporter",
    base: "node",
    inputs: ["contract", "kafka", "package.json"],
    prepare: (context) => {
      copyProject(context, ["contract", "kafka", "package.json"]);
      nodeModules(context, ["zod", "@platformatic/kafka"]);
    },
    differs: "a replacement that exports the metric names of kafka_exporter",
  },
} as const satisfies Record<string, Recipe>;

export type RecipeName = keyof typeof recipes;
export const RECIPE_NAMES = Object.keys(recipes) as RecipeName[];
