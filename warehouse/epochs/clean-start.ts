import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import {
  type GeneratorAddress,
  readStatus,
  sendControl,
} from "../../generator/client/http-client.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { filledTables } from "../batch/clear-layers.ts";
import type { LeaseOptions } from "../batch/lease.ts";
import { resumeUnlessDeleted } from "./pause-generator.ts";
import { resetTopics } from "./topics.ts";

export interface CleanStartOptions {
  readonly admin: Admin;
  readonly database: Database | null;
  readonly generator: GeneratorAddress;
  /** End, seed and speed of the new history, in the names of the control endpoint. */
  readonly history: Readonly<Record<string, string | number>>;
  /** True if the user agreed to delete existing data; otherwise the environment must be empty. */
  readonly isAgreed: boolean;
  readonly onStep: (what: string) => void;
  readonly lease?: LeaseOptions;
}

/** Replaces all data, then goes live. @throws UserError, before any change, without confirmation */
export async function cleanStart(options: CleanStartOptions): Promise<Record<string, unknown>> {
  const { admin, database, generator, history, isAgreed, onStep } = options;
  const { state, instance } = await readStatus(generator);
  const request = isAgreed ? { confirm: instance, ...history } : history;
  await requireConsent(generator, request);
  if (!isAgreed) {
    if (database) await requireEmptyLayers(database);
    onStep("starting on an empty environment");
    // The generator checks again for data that arrived in the meantime.
    return sendControl(generator, { operation: "clean_start", ...request });
  }
  await refuseBesideOthers(admin, instance);
  const isRunning = state.kind === "running";
  if (isRunning) {
    onStep(`pausing ${state.operation}`);
    await sendControl(generator, { operation: "pause" });
  }
  const paused = isRunning ? { name: instance, address: generator } : null;
  await resumeUnlessDeleted(paused, (onDelete) => replaceAll(options, instance, onDelete));
  onStep("starting again");
  return sendControl(generator, { operation: "clean_start", ...request });
}

/** Re-creates topics and empties layers under the lease; changes nothing without the lease. */
async function replaceAll(
  { admin, database, onStep, lease = {} }: CleanStartOptions,
  instance: string,
  onDelete: () => void,
): Promise<void> {
  onStep(database ? "re-creating the topics and emptying the layers" : "re-creating the topics");
  await resetTopics(admin, {
    database,
    lease,
    onDelete,
    scope: "all",
    reason: "clean start",
    clearsLayers: true,
    // Another instance may have started since the first check.
    isLive: async () => (await otherInstances(admin, instance)).length > 0,
  });
}

async function requireConsent(generator: GeneratorAddress, request: object): Promise<void> {
  const answer = await sendControl(generator, {
    operation: "dry_run",
    of: "clean_start",
    ...request,
  });
  const { action, reason, hint } = answer.decision as Record<string, string>;
  if (action === "refuse") throw new UserError(`The generator refuses: ${reason}`, hint);
}

const otherInstances = async (admin: Admin, instance: string): Promise<string[]> =>
  (await liveInstances(admin)).filter((live) => live !== instance);

async function refuseBesideOthers(admin: Admin, instance: string): Promise<void> {
  const others = await otherInstances(admin, instance);
  if (others.length === 0) return;
  throw new UserError(
    `The generator ${others.join(", ")} is publishing to the topics that a clean start of ${instance} deletes. Nothing was changed`,
    "run make generator-down in its stack, then retry",
  );
}

async function requireEmptyLayers(db: Database): Promise<void> {
  const filled = await filledTables(db);
  if (filled.length === 0) return;
  throw new UserError(
    `A clean start deletes the rows of ${filled.join(", ")}. Nothing was changed`,
    "to confirm, run pipeline generator clean-start --yes --t-end INSTANT (in Airflow: agree_to_loss)",
  );
}
