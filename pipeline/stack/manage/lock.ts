import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { UserError } from "../../../contract/errors.ts";
import { PROJECT } from "../names.ts";
import { backendFolder, pulumiText } from "./pulumi.ts";

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
  let isTold = false;
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
    const locks = readLocks(stack);
    const holder = locks.find((lock) => lock.hostname === hostname() && isPulumi(lock.pid));
    if (holder) {
      if (Date.now() > deadline) {
        throw new UserError(
          `Another command works on the stack ${stack} (process ${holder.pid}).`,
          "wait until it has ended, then try again",
        );
      }
      if (!isTold) {
        console.error(
          `Another command works on the stack ${stack} (process ${holder.pid}): waiting ${PATIENCE_MS / 1000} s for its end.`,
        );
      }
      isTold = true;
      continue;
    }
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
