import { join } from "node:path";
import * as command from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import { NOTHING, quote, SHELL, variables } from "../shared/shell.ts";

export const ROOT = join(import.meta.dirname, "../..");

export interface PipelineCommand {
  /** Commands of the pipeline's command line, one after another. */
  readonly pipeline: readonly string[];
  /** Longest run of each, seconds. */
  readonly timeoutSeconds: number;
  /** Plain values, such as addresses. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it logs in with. */
  readonly secretEnvironment: Readonly<Record<string, pulumi.Output<string>>>;
  /** Whether its progress is shown while it runs; its errors always are. */
  readonly showsOutput?: boolean;
}

/** `timeout` where the system has it (macOS has none), or our own. */
const WITHIN = `within() { if command -v timeout >/dev/null; then timeout "$@"; else node scripts/within.ts "$@"; fi; }`;

/** Shell text of a command. Passwords travel in the environment: a failing text is printed whole. */
const shell = ({ timeoutSeconds, pipeline }: PipelineCommand): string =>
  [
    WITHIN,
    pipeline
      .map((command) =>
        // In bare mode nothing is switched on: the resource stays and does nothing.
        command === NOTHING ? NOTHING : `within ${timeoutSeconds} node cli/main.ts ${command}`,
      )
      .join(" && "),
  ].join("\n");

/** What all commands share: no output of the previous run in the environment, errors shown. */
const shared = {
  interpreter: [...SHELL],
  addPreviousOutputInEnv: false,
  logging: command.local.Logging.Stderr,
};

const commandArgs = (run: PipelineCommand) => ({
  ...shared,
  ...(run.showsOutput ? { logging: command.local.Logging.StdoutAndStderr } : {}),
  dir: ROOT,
  environment: { ...run.environment, ...run.secretEnvironment },
});

/**
 * Runs an idempotent command once, and again whenever a trigger, the command or its plain environment
 * changes. Deleting does nothing.
 * @param triggers include a digest of each secret that the command stores somewhere
 */
export const runOnChange = (
  name: string,
  run: PipelineCommand,
  triggers: pulumi.Input<string>[],
  opts: pulumi.CustomResourceOptions,
): command.local.Command =>
  new command.local.Command(
    name,
    {
      ...commandArgs(run),
      create: shell(run),
      // Without it the provider runs `create` for any other input: a rotated password repeated the work.
      update: NOTHING,
      triggers: [...triggers, ...run.pipeline, ...variables(run.environment)],
    },
    opts,
  );

interface EngineCommand {
  /** Arguments of `docker`. */
  readonly docker: readonly string[];
  readonly timeoutSeconds: number;
}

/**
 * Lets the container engine's own client do something, once and whenever a trigger changes; its
 * exit code decides. Deleting does nothing.
 */
export const engineOnChange = (
  name: string,
  { docker, timeoutSeconds }: EngineCommand,
  triggers: pulumi.Input<string>[],
  opts: pulumi.CustomResourceOptions,
): command.local.Command =>
  new command.local.Command(
    name,
    {
      ...shared,
      dir: ROOT,
      create: `${WITHIN}\nwithin ${timeoutSeconds} docker ${docker.map(quote).join(" ")}`,
      triggers,
    },
    opts,
  );

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
      create: NOTHING,
      update: shell(run),
    },
    opts,
  );
