import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { UserError } from "../../../contract/errors.ts";
import { PROJECT } from "../names.ts";
import { readOwner, stackFolder, writePrivate } from "../state.ts";
import { docker, type Owned, owned } from "./docker.ts";
import { backendFolder, pulumiText } from "./pulumi.ts";

const exportSchema = z.looseObject({
  deployment: z.looseObject({
    resources: z.array(z.looseObject({ id: z.string().optional() })).optional(),
    pending_operations: z.array(z.unknown()).optional(),
  }),
});

/**
 * Makes the next run possible after one that was cut off anywhere: releases a lock whose holder is
 * gone, forgets operations nobody will finish, removes containers and networks that were made and
 * never recorded. Data volumes are never touched: a run takes up what is there.
 * @throws UserError when somebody else runs a stack of this name on this machine
 */
export async function recover(stack: string): Promise<void> {
  await releaseLock(stack);
  const exported = exportSchema.parse(
    JSON.parse(await pulumiText(stack, "stack", "export", "--stack", stack)),
  );
  const { resources = [], pending_operations: pending = [] } = exported.deployment;
  await removeUnrecorded(stack, new Set(resources.map(({ id }) => id ?? "")));
  if (pending.length === 0) return;
  const file = join(stackFolder(stack), "recovered-state.json");
  const deployment = { ...exported.deployment, pending_operations: [] };
  writePrivate(file, JSON.stringify({ ...exported, deployment }));
  await pulumiText(stack, "stack", "import", "--stack", stack, "--file", file);
}

const lockSchema = z.looseObject({ pid: z.int(), hostname: z.string() });

type Lock = z.infer<typeof lockSchema>;

/** A command that was interrupted finishes what it has begun; longer than this it works. */
const PATIENCE_MS = 90_000;
const POLL_MS = 500;

/**
 * Takes away the lock of a process that was killed, and waits for one that is about to end.
 * @throws UserError when its holder goes on
 */
export async function releaseLock(stack: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
    const locks = readLocks(stack);
    const holder = locks.find((lock) => lock.hostname === hostname() && isPulumi(lock.pid));
    if (holder && Date.now() > deadline) {
      throw new UserError(
        `Another command works on the stack ${stack} (process ${holder.pid}).`,
        "wait until it has ended, then try again",
      );
    }
    if (holder) continue;
    if (locks.length > 0) await pulumiText(stack, "cancel", "--yes", "--stack", stack);
    return;
  }
}

/** The holders may end while they are read. */
function readLocks(stack: string): Lock[] {
  const folder = join(backendFolder(), ".pulumi/locks/organization", PROJECT, stack);
  if (!existsSync(folder)) return [];
  // Beside each lock lies a file of attributes.
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      try {
        return [lockSchema.parse(JSON.parse(readFileSync(join(folder, name), "utf8")))];
      } catch {
        return [];
      }
    });
}

/** A process that has ended stays listed, as a zombie, until its parent asks for it. */
function isPulumiOnLinux(pid: number): boolean {
  const file = `/proc/${pid}/status`;
  const status = existsSync(file) ? readFileSync(file, "utf8") : "";
  return /^Name:\s*pulumi/m.test(status) && !/^State:\s*[ZX]/m.test(status);
}

/** Whether the process runs and is what made the lock: numbers are used again. */
function isPulumi(pid: number): boolean {
  if (existsSync("/proc/self/status")) return isPulumiOnLinux(pid);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const STOP_SECONDS = "60";

async function removeUnrecorded(stack: string, recorded: ReadonlySet<string>): Promise<void> {
  const containers = await unrecorded("container", stack, recorded);
  for (const { id } of containers) {
    await docker("stop", "--time", STOP_SECONDS, id);
    await docker("rm", "--force", "--volumes", id);
  }
  for (const { id } of await unrecorded("network", stack, recorded)) {
    await docker("network", "rm", id);
  }
}

async function unrecorded(
  kind: "container" | "network",
  stack: string,
  recorded: ReadonlySet<string>,
): Promise<Owned[]> {
  const present = await owned(kind, stack);
  const strangers = present.filter(({ id }) => !recorded.has(id));
  const foreign = strangers.find(({ owner }) => owner !== readOwner());
  if (!foreign) return strangers;
  throw new UserError(
    `A stack named ${stack} that this checkout does not know is on this machine (${foreign.name}).`,
    `choose another name: make up STACK=${stack}-2; or remove that one: make clean STACK=${stack}`,
  );
}
