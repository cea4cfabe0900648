import * as command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { CALL_VARIABLE, callOnStack } from "../../contract/command-call.ts";
import { NO_OP_COMMAND, quote, SHELL, variables } from "../shared/shell.ts";
import { ROOT } from "../shared/state.ts";

export interface PipelineCommand {
  readonly pipeline: readonly string[];
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly secretEnvironment: Readonly<Record<string, pulumi.Output<string>>>;
  /** True to print standard output; errors are always printed. */
  readonly showsOutput?: boolean;
}

/** Shell function `within`: the program `timeout`, or scripts/timeout.ts on macOS, which lacks it. */
const WITHIN = `within() { if command -v timeout >/dev/null; then timeout "$@"; else node scripts/timeout.ts "$@"; fi; }`;

/** Shell text of the commands. A failure prints it, so passwords are in the environment. */
const shell = ({ timeoutSeconds, pipeline }: PipelineCommand): string =>
  [
    WITHIN,
    pipeline
      .map((command) =>
        // While no generator publishes, the schedule is a resource that does nothing.
        command === NO_OP_COMMAND
          ? NO_OP_COMMAND
          : `within ${timeoutSeconds} node cli/main.ts ${command}`,
      )
      .join(" && "),
  ].join("\n");

/** Options that keep the previous output out of the environment and log stderr only. */
const shared = {
  interpreter: [...SHELL],
  addPreviousOutputInEnv: false,
  logging: command.local.Logging.Stderr,
};

const commandArgs = (run: PipelineCommand) => ({
  ...shared,
  ...(run.showsOutput ? { logging: command.local.Logging.StdoutAndStderr } : {}),
  dir: ROOT,
  environment: {
    ...run.environment,
    ...run.secretEnvironment,
    // Without it, hints would name the database's address, for which the user has no password.
    [CALL_VARIABLE]: callOnStack(pulumi.getStack()),
  },
});

/** Runs commands when a trigger changes. @param triggers with a digest of each stored secret */
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
      // Without `update`, the provider runs `create` for any changed input, such as a new password.
      update: NO_OP_COMMAND,
      triggers: [...triggers, ...run.pipeline, ...variables(run.environment)],
    },
    opts,
  );

/** Runs a command that changes nothing, in each preview and each up. @returns its standard output */
export const runAlways = (
  run: PipelineCommand,
  opts: pulumi.InvokeOptions,
): pulumi.Output<string> =>
  command.local.runOutput({ ...commandArgs(run), command: shell(run) }, opts).stdout;

interface EngineCommand {
  readonly docker: readonly string[];
  readonly timeoutSeconds: number;
}

/** Runs a `docker` command when a trigger changes. */
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

/** Runs commands when the version changes, but not at the first start, which reads everything. */
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
      create: NO_OP_COMMAND,
      update: shell(run),
    },
    opts,
  );
