import * as command from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import { NOTHING, quote, SHELL, variables } from "../shared/shell.ts";
import { ROOT } from "../shared/state.ts";

export interface PipelineCommand {
  readonly pipeline: readonly string[];
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly secretEnvironment: Readonly<Record<string, pulumi.Output<string>>>;
  /** Errors are always shown. */
  readonly showsOutput?: boolean;
}

/** `timeout` if the system has it (macOS has not), else scripts/within.ts. */
const WITHIN = `within() { if command -v timeout >/dev/null; then timeout "$@"; else node scripts/within.ts "$@"; fi; }`;

/** Passwords are in the environment, because a failing text is printed whole. */
const shell = ({ timeoutSeconds, pipeline }: PipelineCommand): string =>
  [
    WITHIN,
    pipeline
      .map((command) =>
        // The schedule stays a resource while no generator publishes, and does nothing.
        command === NOTHING ? NOTHING : `within ${timeoutSeconds} node cli/main.ts ${command}`,
      )
      .join(" && "),
  ].join("\n");

/** Common options: omit the previous output from the environment; log stderr only. */
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

/** Deleting does nothing. @param triggers with a digest of each secret that the command stores */
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
      // Otherwise the provider runs `create` for any other input, such as a rotated password.
      update: NOTHING,
      triggers: [...triggers, ...run.pipeline, ...variables(run.environment)],
    },
    opts,
  );

interface EngineCommand {
  readonly docker: readonly string[];
  readonly timeoutSeconds: number;
}

/** Deleting does nothing. */
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

/** Not at the first start, when the service has just read its configuration. */
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
