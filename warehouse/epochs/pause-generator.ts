import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { callable } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import {
  type GeneratorAddress,
  type GeneratorStatus,
  readStatus,
  sendControl,
} from "../../generator/client/http-client.ts";
import { liveInstances } from "../../generator/operations/liveness.ts";

const STARTED_WITHIN_MS = 60_000;
const RETRY_MS = 250;

export interface PausedGenerator {
  readonly name: string;
  readonly address: GeneratorAddress;
}

/** Pauses the generator; null if it does not publish. @throws UserError if another publishes */
export async function pauseForReset(
  admin: Admin,
  address: GeneratorAddress,
): Promise<PausedGenerator | null> {
  const live = await liveInstances(admin);
  const status = await startedStatus(address).catch((error: unknown) => {
    if (live.length > 0) throw error;
    return undefined;
  });
  const others = live.filter((name) => name !== status?.instance);
  if (others.length > 0) {
    throw new UserError(
      `The generator ${others.join(", ")} is publishing to the topics, and ${address.url} is not its address`,
      "run make generator-down in its stack, then retry",
    );
  }
  if (status?.state.kind !== "running") return null;
  await sendControl(address, { operation: "pause" });
  return { name: status.instance, address };
}

/** Runs `work`. Resumes the generator if `work` fails before it calls `onDelete`. */
export async function resumeUnlessDeleted<T>(
  paused: PausedGenerator | null,
  work: (onDelete: () => void) => Promise<T>,
): Promise<T> {
  let isUntouched = true;
  const onDelete = () => {
    isUntouched = false;
  };
  try {
    return await work(onDelete);
  } catch (error) {
    if (paused) process.stderr.write(`${await afterFailure(paused, isUntouched)}\n`);
    throw error;
  }
}

async function afterFailure(
  { name, address }: PausedGenerator,
  isUntouched: boolean,
): Promise<string> {
  if (!isUntouched) {
    return `The generator ${name} stays paused: the deletion of its topics has begun.
  hint: retry, or run ${callable("pipeline generator clean-start")} --yes --t-end now`;
  }
  try {
    await sendControl(address, { operation: "resume" });
    return `No topic was deleted; the generator ${name} was resumed.`;
  } catch (error) {
    return `No topic was deleted, but the generator ${name} is still paused: ${(error as Error).message}
  hint: run ${callable("pipeline generator resume")} (make generator-up)`;
  }
}

/** Returns the status of a generator; waits while it starts, because it may publish soon. */
async function startedStatus(address: GeneratorAddress): Promise<GeneratorStatus> {
  for (const deadline = Date.now() + STARTED_WITHIN_MS; ; await sleep(RETRY_MS)) {
    const status = await readStatus(address);
    if (status.state.kind !== "starting" || Date.now() > deadline) return status;
  }
}
