import { LIVE_STEP_SECONDS } from "../../contract/schedule.ts";
import { requireReady } from "../doctor/doctor.ts";
import { runOnStack } from "./client.ts";
import { configure, openWith, type Settings } from "./init.ts";
import { configOf } from "./local-config.ts";
import { showPulumi } from "./pulumi.ts";
import { readDeployment, recover, refresh, unreadable } from "./recover.ts";
import { snapshotBeforeUpgrade } from "./upgrade.ts";
import { askStack, changeStack, openStack, requireStack, type Stack } from "./workspace.ts";

export interface UpOptions extends Settings {
  /** Ends of the names of resources to create again, with what depends on them. */
  readonly replace?: readonly string[];
}

/**
 * Starts the stack or applies its configuration, after cli/stack.ts has chosen its name:
 * 1. configure: creates a new stack, validates the given settings and writes them into its file, if
 *    requireReady finds the engine (version, memory, clock, disk) and ports ready
 * 2. recover, snapshotBeforeUpgrade, refresh: removes leftovers of a killed run, keeps the data before another
 *    ClickHouse opens them, then updates Pulumi's state
 * 3. pulumi up: runs index.ts, which refuses to delete irreplaceable data, and waits until every
 *    service is healthy; in live mode its commands fill the layers; then cli/stack.ts prints the closing screen
 */
export async function up(name: string, options: UpOptions = {}): Promise<void> {
  const { replace = [], ...settings } = options;
  const stack = await prepareStart(name, settings);
  await changeStack(stack, ["up", ...replace.flatMap((end) => ["--replace", `**${end}`])], {
    message: "The stack is not up",
    hint: `correct what Pulumi reports, then run make up STACK=${name} again`,
  });
  // The provider reads back empty properties, which the next preview would show as changes.
  await askStack(stack, "refresh", "--yes", "--skip-preview");
}

/** Prepares a start without changing a running service. @throws UserError before it writes the settings */
async function prepareStart(name: string, settings: Settings): Promise<Stack> {
  await configure(name, settings, async (stack) => requireReady(name, await configOf(stack)));
  const stack = await openStack(name);
  const deployment = await recover(stack);
  await snapshotBeforeUpgrade(name, deployment, await configOf(stack));
  if (deployment.resources.length > 0) await refresh(stack, deployment, "--clear-pending-creates");
  return stack;
}

/** Previews `up` with these settings. @throws UserError if the program refuses them */
export async function preview(name: string, settings: Settings): Promise<void> {
  await requireStack(name);
  const { stack } = await openWith(name, settings);
  const excluded = await unreadable(await readDeployment(stack));
  const args = ["preview", "--diff", "--refresh", ...excluded, "--stack", name];
  await showPulumi(args, stack.env, {
    message: "The preview failed",
    hint: `correct what Pulumi reports, then run make preview STACK=${name}`,
  });
  if (excluded.length > 0)
    console.error("Grafana does not answer, so its content was not compared.");
}

export const GENERATOR_ACTIONS = ["on", "off", "restart"] as const;
type GeneratorAction = (typeof GENERATOR_ACTIONS)[number];

/**
 * Starts or stops the generator, also for later starts; or rebuilds and restarts it.
 * @returns the exit code, 1 if the generator cannot publish @throws UserError for a missing stack
 */
export async function setGenerator(stack: string, action: GeneratorAction): Promise<number> {
  await requireStack(stack);
  const replace = ["Container::generator"];
  await up(stack, action === "restart" ? { replace } : { generatorEnabled: action === "on" });
  // A generator that waits after a pause or a load does not start by itself.
  const resume = ["generator", "resume", "--wait", `${LIVE_STEP_SECONDS}`];
  return action === "on" ? runOnStack(stack, resume) : 0;
}
