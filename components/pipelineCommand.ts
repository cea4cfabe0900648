import { join } from "node:path";
import * as command from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import { commandEnvironment } from "../pipeline/stack/endpoints.ts";
import type { Broker } from "./broker.ts";
import type { Database } from "./database.ts";

export const ROOT = join(import.meta.dirname, "..");

export interface PipelineCommand {
  /** Commands of the pipeline's command line, one after another. */
  readonly pipeline: readonly string[];
  /** Longest run of each, seconds. */
  readonly timeoutSeconds: number;
  /** Plain values; whatever is secret stands in `secretEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secretEnvironment: Readonly<Record<string, pulumi.Output<string>>>;
}

/** Commands that work with the stack's broker and database, as this machine reaches them. */
export const stackCommand = (
  pipeline: readonly string[],
  timeoutSeconds: number,
  broker: Broker,
  database: Database,
): PipelineCommand => ({
  pipeline,
  timeoutSeconds,
  environment: commandEnvironment(broker.endpoint, database.endpoint),
  secretEnvironment: {
    CLICKHOUSE_PASSWORD: database.password,
    ...(broker.password ? { KAFKA_SASL_PASSWORD: broker.password } : {}),
  },
});

/** Shell text of a command. Passwords travel in the environment: a failing text is printed whole. */
const shell = ({ timeoutSeconds, pipeline }: PipelineCommand): string =>
  pipeline
    .map((command) => `timeout ${timeoutSeconds} node pipeline/cli.ts ${command}`)
    .join(" && ");

/** What all commands share: no output of a former run in the environment, errors shown. */
const commandArgs = (run: PipelineCommand) => ({
  dir: ROOT,
  interpreter: ["/bin/bash", "-euo", "pipefail", "-c"],
  environment: { ...run.environment, ...run.secretEnvironment },
  addPreviousOutputInEnv: false,
  logging: command.local.Logging.Stderr,
});

/** Runs an idempotent command once, and again whenever a trigger changes. Deleting does nothing. */
export const runOnChange = (
  name: string,
  run: PipelineCommand,
  triggers: pulumi.Input<string>[],
  opts: pulumi.CustomResourceOptions,
): command.local.Command =>
  new command.local.Command(name, { ...commandArgs(run), create: shell(run), triggers }, opts);

/**
 * Runs a command when `version` changes, not at the first start: the service has just read its
 * configuration then.
 */
export const runOnUpdate = (
  name: string,
  run: PipelineCommand,
  version: pulumi.Output<string>,
  opts: pulumi.CustomResourceOptions,
): command.local.Command =>
  new command.local.Command(
    name,
    {
      ...commandArgs({ ...run, secretEnvironment: { ...run.secretEnvironment, VERSION: version } }),
      create: ":",
      update: shell(run),
    },
    opts,
  );
