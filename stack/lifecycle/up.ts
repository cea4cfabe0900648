import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { LIVE_STEP_SECONDS } from "../../components/live/steps.ts";
import { requireReady } from "../doctor/doctor.ts";
import { runPipeline } from "./client.ts";
import { create, type Settings, validConfig } from "./init.ts";
import { refuseLoweredKeys } from "./key-generations.ts";
import { startStopped } from "./owned-resources.ts";
import { recover, refresh, refuseForeign } from "./recover.ts";
import { runOperation } from "./run.ts";
import { previewOf } from "./run-preview.ts";
import { stackText, writeStackFile } from "./stack-file.ts";
import { isRecorded, openStack, requireStack } from "./workspace.ts";

export interface UpOptions extends Settings {
  readonly replace?: string | undefined;
  /** True to refresh Grafana's content, which needs a running Grafana. */
  readonly refreshesContent?: boolean;
}

/**
 * Starts the stack or applies its configuration, after cli/stack.ts has chosen its name:
 * 1. validConfig: validates the given settings
 * 2. requireReady: checks the engine (version, memory, clock, disk) and ports
 * 3. create, for a new stack
 * 4. recover, startStopped, refresh: removes leftovers of a killed run, starts what was stopped, then updates Pulumi's state
 * 5. previewOf: the program refuses to delete irreplaceable data
 * 6. writeStackFile
 * 7. stack.up: runs index.ts, which waits until every service is healthy; in live mode its commands
 *    fill the layers; then cli/stack.ts prints the closing screen
 * @throws UserError before step 6 if the stack cannot start or would lose data
 */
export async function up(name: string, options: UpOptions = {}): Promise<void> {
  const { replace, refreshesContent = false, ...settings } = options;
  const stack = await prepare(name, settings);
  const again = replace ? { replace: [replace] } : {};
  const failure = {
    message: "The stack is not up",
    hint: `run make doctor STACK=${name}, then make up STACK=${name} again`,
  };
  await runOperation(stack, failure, (shown) =>
    stack.up({ ...shown, ...again, refresh: refreshesContent }),
  );
}

/**
 * Prepares a start without changing a running service, and writes the settings at the end.
 * @throws UserError with the obstacle; then the stack's file has not changed
 */
export async function prepare(name: string, settings: Settings = {}): Promise<Stack> {
  const before = stackText(name);
  const config = validConfig(name, settings);
  await requireReady(name, config);
  if (!(await isRecorded(name))) {
    await refuseForeign(name);
    await create(name);
  }
  const stack = await openStack(name, config);
  const deployment = await recover(stack);
  if (deployment.resources.length > 0) {
    refuseLoweredKeys(name, config, deployment);
    await startStopped(name);
    await refresh(stack, true);
    await previewOf(stack);
  }
  // A file that the user has edited since keeps the edit.
  if (config !== before) writeStackFile(name, config);
  return stack;
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
  return action === "on" ? runPipeline(stack, resume) : 0;
}
