import * as command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { CALL_VARIABLE, callOnStack, quote } from "../../contract/command-call.ts";
import { joined, type Use } from "./use.ts";

interface PipelineCommand {
  /** Commands of cli/main.ts, one after another. */
  readonly pipeline: readonly string[];
  /** Time limit of each, seconds. */
  readonly timeoutSeconds: number;
  /** What it takes from services, and waits for. */
  readonly uses: readonly (Use | undefined)[];
}

interface Triggered {
  /** Values whose change runs the command again. */
  readonly triggers: readonly pulumi.Input<string | Readonly<Record<string, string>>>[];
}

interface DockerCommand extends Triggered {
  readonly docker: readonly string[];
  /** Time limit, seconds. */
  readonly timeoutSeconds: number;
  /** Variables of the `docker` command, and what it waits for. */
  readonly uses: readonly Use[];
}

/** Shell function `within`: the program `timeout`, or scripts/timeout.ts on macOS, which lacks it. */
const WITHIN = `within() { if command -v timeout >/dev/null; then timeout "$@"; else node scripts/timeout.ts "$@"; fi; }`;

/** Shell text. A failure prints it, so passwords are in the environment. */
const shell = ({ pipeline, timeoutSeconds }: Omit<PipelineCommand, "uses">): string =>
  [
    WITHIN,
    pipeline.map((one) => `within ${timeoutSeconds} node cli/main.ts ${one}`).join(" && "),
  ].join("\n");

/** The provider runs in the project's folder, so no path of this machine is in the state. */
const shellOptions = {
  interpreter: ["/bin/bash", "-euo", "pipefail", "-c"],
  // A long output would not fit into the environment of the next run.
  addPreviousOutputInEnv: false,
  logging: command.local.Logging.Stderr,
};

const environmentOf = ({ uses }: PipelineCommand) => ({
  ...joined(uses).environment,
  // Without it, hints would name ClickHouse's address, for which the user has no password.
  [CALL_VARIABLE]: callOnStack(pulumi.getStack()),
});

interface Once {
  /** True to print standard output, too. Default: false. */
  readonly showsOutput?: boolean;
  /** True for long work that a new address or password does not repeat. Default: false. */
  readonly ignoresNewClient?: boolean;
}

/** Runs idempotent commands now, and again when a trigger or the client changes. */
export const pipelineCommand = (
  name: string,
  { triggers, showsOutput, ignoresNewClient, ...run }: PipelineCommand & Triggered & Once,
  parent: pulumi.Resource,
): command.local.Command =>
  new command.local.Command(
    name,
    {
      ...shellOptions,
      ...(showsOutput ? { logging: command.local.Logging.StdoutAndStderr } : {}),
      environment: environmentOf(run),
      create: shell(run),
      update: ignoresNewClient ? ":" : shell(run),
      triggers: [...triggers, ...run.pipeline],
    },
    { parent, deleteBeforeReplace: true, dependsOn: [...joined(run.uses).ready] },
  );

/** Runs a command that changes nothing, in each preview and each up. @returns its standard output */
export const pipelineOutput = (
  run: PipelineCommand,
  parent: pulumi.Resource,
): pulumi.Output<string> =>
  command.local.runOutput(
    {
      ...shellOptions,
      environment: environmentOf(run),
      command: shell(run),
    },
    { parent },
  ).stdout;

/** Removes built images when the stack is deleted, because the provider keeps them. @param label `key=value` */
export const removeImagesAtEnd = (label: pulumi.Input<string>): command.local.Command =>
  new command.local.Command("built-images", {
    ...shellOptions,
    environment: { LABEL: label },
    create: ":",
    delete: `ids="$(docker image ls --all --quiet --filter "label=$LABEL")"; [ -z "$ids" ] || docker image rm --force $ids`,
  });

/** Runs a `docker` command now, and again when a trigger changes. */
export const dockerCommand = (
  name: string,
  { docker, timeoutSeconds, triggers, uses }: DockerCommand,
  parent: pulumi.Resource,
): command.local.Command => {
  const { environment, ready } = joined(uses);
  return new command.local.Command(
    name,
    {
      ...shellOptions,
      environment,
      create: `${WITHIN}\nwithin ${timeoutSeconds} docker ${docker.map(quote).join(" ")}`,
      triggers: [...triggers],
    },
    { parent, deleteBeforeReplace: true, dependsOn: [...ready] },
  );
};
