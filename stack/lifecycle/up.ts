import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { LIVE_STEP_SECONDS } from "../../contract/schedule.ts";
import { requireReady } from "../doctor/doctor.ts";
import { runOnStack } from "./client.ts";
import { configure, openWith, type Settings } from "./init.ts";
import { configOf } from "./local-config.ts";
import { startStopped } from "./owned-resources.ts";
import { nameOf, readDeployment, recover, refresh, unreadable } from "./recover.ts";
import { runOperation } from "./run.ts";
import { openStack, requireStack } from "./workspace.ts";

export interface UpOptions extends Settings {
  readonly replace?: string | undefined;
}

/**
 * Starts the stack or applies its configuration, after cli/stack.ts has chosen its name:
 * 1. configure: creates a new stack, validates the given settings and writes them into its file, if
 *    requireReady finds the engine (version, memory, clock, disk) and ports ready
 * 2. recover, startStopped, refresh: removes leftovers of a killed run, starts what was stopped, then updates Pulumi's state
 * 3. stack.up: runs index.ts, which refuses to delete irreplaceable data, and waits until every
 *    service is healthy; in live mode its commands fill the layers; then cli/stack.ts prints the closing screen
 */
export async function up(name: string, options: UpOptions = {}): Promise<void> {
  const { replace, ...settings } = options;
  const { stack } = await prepareStart(name, settings);
  const again = replace ? { replace: [replace] } : {};
  const failure = {
    message: "The stack is not up",
    hint: `run make doctor STACK=${name}, then make up STACK=${name} again`,
  };
  await runOperation(failure, (shown) => stack.up({ ...shown, ...again }));
}

interface Prepared {
  readonly stack: Stack;
  /** Id of its state; undefined before the first run. */
  readonly identity: string | undefined;
}

/** Prepares a start without changing a running service. @throws UserError before it writes the settings */
export async function prepareStart(name: string, settings: Settings = {}): Promise<Prepared> {
  await configure(name, settings, async (stack) => requireReady(name, await configOf(stack)));
  const stack = await openStack(name);
  const deployment = await recover(stack);
  if (deployment.resources.length > 0) {
    await startStopped(deployment.identity);
    await refresh(stack, deployment, true);
  }
  return { stack, identity: deployment.identity };
}

/** Previews `up` with these settings. @returns Pulumi's text @throws UserError if the program refuses them */
export async function preview(name: string, settings: Settings): Promise<string> {
  await requireStack(name);
  const { stack } = await openWith(name, settings);
  const failure = {
    message: "The preview failed",
    hint: `correct the configuration, then run make preview STACK=${name}`,
  };
  const deployment = await readDeployment(stack);
  const skipped = await unreadable(deployment);
  const { stdout } = await runOperation(failure, ({ signal, color, onEvent }) =>
    stack.preview({
      ...{ signal, color, onEvent, diff: true },
      refresh: deployment.resources.length > 0,
      exclude: skipped.map(({ urn }) => urn),
    }),
  );
  const names = skipped.map(nameOf).join(", ");
  return names
    ? `${stdout.trimEnd()}\nNot compared, because they are stopped; make up starts them: ${names}\n`
    : stdout;
}

export const GENERATOR_ACTIONS = ["on", "off", "restart"] as const;
type GeneratorAction = (typeof GENERATOR_ACTIONS)[number];

/**
 * Starts or stops the generator, also for later starts; or rebuilds and restarts it.
 * @returns the exit code, 1 if the generator cannot publish @throws UserError for a missing stack
 */
export async function setGenerator(stack: string, action: GeneratorAction): Promise<number> {
  await requireStack(stack);
  const replace = "**docker:index/container:Container::generator";
  await up(stack, action === "restart" ? { replace } : { generatorEnabled: action === "on" });
  // A generator that waits after a pause or a load does not start by itself.
  const resume = ["generator", "resume", "--wait", `${LIVE_STEP_SECONDS}`];
  return action === "on" ? runOnStack(stack, resume) : 0;
}
