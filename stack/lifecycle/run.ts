import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { ConcurrentUpdateError, type Stack } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../contract/errors.ts";

const KILLED_ENDS_WITHIN_MS = 5_000;
const POLL_MS = 250;

export interface OutputOptions {
  readonly onOutput: (text: string) => void;
  readonly onError: (text: string) => void;
  readonly color: "always" | "never";
  /** False, because with secrets Pulumi would write a salt into a committed configuration. */
  readonly showSecrets: false;
  readonly signal: AbortSignal;
}

/** Runs an operation; at Ctrl+C, waits for Pulumi's state. @throws UserError if the stack is locked */
export async function runOperation<T>(
  stack: Stack,
  operation: (shown: OutputOptions) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const wait = () => undefined;
  const end = () => ended.abort();
  process.on("SIGINT", wait).on("SIGTERM", end).on("SIGHUP", end);
  const shown: OutputOptions = {
    onOutput: (text) => process.stdout.write(text),
    onError: (text) => process.stderr.write(text),
    color: process.stdout.isTTY ? "always" : "never",
    showSecrets: false,
    signal: ended.signal,
  };
  try {
    return await withoutDeadLock(stack, () => operation(shown));
  } finally {
    process.off("SIGINT", wait).off("SIGTERM", end).off("SIGHUP", end);
  }
}

async function withoutDeadLock<T>(stack: Stack, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    const holders = lockHolders(String(error));
    const running = await stillRunning(holders);
    if (holders.length === 0 || running.length > 0) throw locked(stack.name, running);
    await stack.cancel();
    return work();
  }
}

interface Holder {
  readonly host: string;
  readonly pid: number;
}

/** Pattern of lock holders in Pulumi's message: `created by user@host (pid 123) at …`. */
const lockHolders = (text: string): Holder[] =>
  [...text.matchAll(/created by .*@(\S+) \(pid (\d+)\)/g)].map(([, host = "", pid]) => ({
    host,
    pid: Number(pid),
  }));

/** Returns the running lock holders; a killed process exists until its last write ends. */
async function stillRunning(holders: readonly Holder[]): Promise<Holder[]> {
  const deadline = Date.now() + KILLED_ENDS_WITHIN_MS;
  for (;;) {
    const running = holders.filter(isAlive);
    if (running.length === 0 || Date.now() > deadline) return running;
    await sleep(POLL_MS);
  }
}

/** True for a running process; processes on other machines count as running. */
function isAlive({ host, pid }: Holder): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const locked = (stack: string, holders: readonly Holder[]): UserError =>
  new UserError(
    `Another command works on the stack ${stack}${holders.map(({ host, pid }) => ` (process ${pid} on ${host})`).join(",")}`,
    `wait until it ends; if it was killed, run eval "$(make -s env STACK=${stack})" && pulumi cancel --stack ${stack}`,
  );
