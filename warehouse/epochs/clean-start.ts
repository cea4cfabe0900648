import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import {
  type GeneratorAddress,
  readStatus,
  sendControl,
} from "../../generator/client/http-client.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";
import { filledTables } from "../batch/layers.ts";
import type { LeaseOptions } from "../batch/lease.ts";
import { resumeWhereUntouched } from "./pause-generator.ts";
import { resetTopics } from "./topics.ts";

export interface CleanStartOptions {
  readonly admin: Admin;
  readonly database: Database | null;
  readonly generator: GeneratorAddress;
  /** End, seed and speed of the new history, in the names of the control endpoint. */
  readonly history: Readonly<Record<string, string | number>>;
  /** The loss of what is there is agreed to; otherwise it goes ahead only where there is nothing. */
  readonly isAgreed: boolean;
  /** Told what is being done. */
  readonly onStep: (what: string) => void;
  readonly lease?: LeaseOptions;
}

/**
 * Stops the generator, recreates every topic under a new epoch, empties the layers, and lets the
 * generator begin anew: a backfill, then live. Whatever was there is gone.
 * @throws UserError when the generator would refuse, or what would be lost is not agreed to: then
 * nothing was touched
 */
export async function cleanStart(options: CleanStartOptions): Promise<Record<string, unknown>> {
  const { admin, database, generator, history, isAgreed, onStep } = options;
  const { state, instance } = await readStatus(generator);
  const request = isAgreed ? { confirm: instance, ...history } : history;
  await requireConsent(generator, request);
  if (!isAgreed) {
    if (database) await requireEmptyLayers(database);
    onStep("starting on an empty environment");
    // Decides anew: what has come meanwhile is not removed without consent either.
    return sendControl(generator, { operation: "clean_start", ...request });
  }
  await refuseBesideOthers(admin, instance);
  const isRunning = state.kind === "running";
  if (isRunning) {
    onStep(`pausing ${state.operation}`);
    await sendControl(generator, { operation: "pause" });
  }
  const paused = isRunning ? { name: instance, address: generator } : null;
  await resumeWhereUntouched(paused, (onDelete) => replaceAll(options, instance, onDelete));
  onStep("starting again");
  return sendControl(generator, { operation: "clean_start", ...request });
}

/** Re-creates the topics and empties the layers under one lease: both, or neither where it is not had. */
async function replaceAll(
  { admin, database, onStep, lease = {} }: CleanStartOptions,
  instance: string,
  onDelete: () => void,
): Promise<void> {
  onStep(database ? "recreating the topics and emptying the layers" : "recreating the topics");
  await resetTopics(admin, {
    database,
    lease,
    onDelete,
    scope: "all",
    reason: "clean start",
    clearsLayers: true,
    // One that has come to life meanwhile would be cut off as well.
    isLive: async () => (await otherInstances(admin, instance)).length > 0,
  });
}

/** Asks the generator beforehand: token, settings and end of the history, without changing anything. */
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

/** @throws UserError while another generator publishes: it would be cut off */
async function refuseBesideOthers(admin: Admin, instance: string): Promise<void> {
  const others = await otherInstances(admin, instance);
  if (others.length === 0) return;
  throw new UserError(
    `The generator of instance ${others.join(", ")} is publishing too: a clean start of ${instance} would take the topics from under it. Nothing was touched`,
    "Stop that one (make generator-down in its stack), then run the same command again",
  );
}

/** @throws UserError where a clean start would remove rows */
async function requireEmptyLayers(db: Database): Promise<void> {
  const filled = await filledTables(db);
  if (filled.length === 0) return;
  throw new UserError(
    `A clean start removes the rows of ${filled.join(", ")}. Nothing was touched`,
    "pipeline generator clean-start --yes --t-end INSTANT (in the scheduler: agree_to_loss) agrees to it",
  );
}
