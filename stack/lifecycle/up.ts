import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { AIRFLOW_KEY, SUPERSET_KEY } from "../../components/secrets.ts";
import { UserError } from "../../contract/errors.ts";
import { requireReady } from "../doctor/doctor.ts";
import { create, type Settings, validConfig } from "./init.ts";
import { refuseLowered } from "./key-generations.ts";
import { localConfig } from "./local-config.ts";
import { startStopped } from "./owned-resources.ts";
import { type Deployment, recover, refresh, refuseForeign } from "./recover.ts";
import { runOperation } from "./run.ts";
import { previewOf } from "./run-preview.ts";
import { writeStackFile } from "./stack-file.ts";
import { isRecorded, openStack, selectStack } from "./workspace.ts";

export interface UpOptions extends Settings {
  readonly replace?: string | undefined;
  /** True to refresh Grafana's content, which needs a running Grafana. */
  readonly refreshesContent?: boolean;
  /** True to make it the stack of commands without `STACK=`. */
  readonly selects?: boolean;
}

/**
 * Starts the stack or applies its configuration, after cli/stack.ts has chosen its name:
 * 1. validConfig: validates the given settings
 * 2. requireReady: checks the engine (version, memory, clock, disk) and ports
 * 3. recover, startStopped, refresh: removes leftovers of a killed run, starts what was stopped, then updates Pulumi's state
 * 4. previewOf: the program refuses to delete irreplaceable data
 * 5. writeStackFile, or create for a new stack; then selectStack
 * 6. stack.up: runs index.ts, which waits until every service is healthy; in live mode its commands
 *    fill the layers; then cli/stack.ts prints the closing screen
 * @throws UserError before step 5 if the stack cannot start or would lose data
 */
export async function up(name: string, options: UpOptions = {}): Promise<void> {
  const { replace, refreshesContent = false, selects = false, ...settings } = options;
  const stack = await prepare(name, settings);
  if (selects) await selectStack(name);
  const again = replace ? { replace: [replace] } : {};
  await runOperation(stack, (shown) =>
    stack.up({ ...shown, ...again, refresh: refreshesContent }),
  ).catch((error) => {
    throw notUp(name, error);
  });
}

/**
 * Prepares a start without changing a running service, and writes the settings at the end.
 * @throws UserError with the obstacle; then neither a file nor the selection has changed
 */
export async function prepare(name: string, settings: Settings = {}): Promise<Stack> {
  const config = validConfig(name, settings);
  await requireReady(name, config);
  if (!(await isRecorded(name))) {
    await refuseForeign(name);
    return create(name, config);
  }
  const stack = await openStack(name);
  const deployment = await recover(stack);
  if (deployment.resources.length > 0) {
    refuseLoweredKeys(name, config, deployment);
    await startStopped(name);
    await refresh(stack, true);
    await previewOf(stack, config);
  }
  writeStackFile(name, config);
  return openStack(name);
}

function refuseLoweredKeys(name: string, text: string, deployment: Deployment): void {
  const { postgres } = localConfig(name, text);
  if (!postgres) return;
  const { airflow, superset } = postgres.keyGenerations;
  const fernet = { setting: "airflow.fernetKeyGeneration", generation: airflow };
  refuseLowered(name, AIRFLOW_KEY, fernet, deployment);
  const secret = { setting: "superset.secretKeyGeneration", generation: superset };
  refuseLowered(name, SUPERSET_KEY, secret, deployment);
}

const notUp = (name: string, cause: unknown): UserError =>
  cause instanceof UserError
    ? cause
    : new UserError(
        "The stack is not up: Pulumi's messages above show what failed",
        `run make doctor STACK=${name}, then make up STACK=${name} again`,
      );
