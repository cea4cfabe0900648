import { availableParallelism } from "node:os";
import { UserError } from "../../contract/errors.ts";
import type { Access, Users } from "./auth.ts";
import { isLoopback } from "./guard.ts";

export interface HttpOptions {
  /** Address to listen on. Default: 127.0.0.1, which only this machine reaches. */
  readonly host?: string | undefined;
  /** Port; 0 for any free port. Default: 9133, or any free port if 9133 is in use. */
  readonly port?: number | undefined;
  /** Password of the user `default`, or `sha256:` and the hash. Default: empty, no password. */
  readonly password?: string | undefined;
  /** Other users, with the rights of `default` because the engine has no access control. */
  readonly users?: Users | undefined;
  /** Called by `SYSTEM RELOAD CONFIG`; returns the new access rules. Default: not supported. */
  readonly reload?: (() => Promise<Access>) | undefined;
  /** Second port, which serves only /metrics, without a password. Default: none. */
  readonly metricsPort?: number | undefined;
  /** Number of concurrent queries. Default: see `defaultConcurrency`. */
  readonly concurrency?: number | undefined;
  /** Longest wait for a slot, milliseconds. Default 60 000. */
  readonly queueTimeoutMs?: number | undefined;
  /** Longest wait for headers or the next bytes of a body, milliseconds. Default 60 000. */
  readonly clientTimeoutMs?: number | undefined;
  /** Number of concurrent sessions; each takes about 0.15 MiB. Default 1000. */
  readonly maxSessions?: number | undefined;
  /** Folder for bodies and large results in transit. Default: the system's folder. */
  readonly temporaryDirectory?: string | undefined;
}

/** Returns the number of concurrent queries. Each uses a Node worker thread; two stay free. */
export function defaultConcurrency(threads = Number(process.env.UV_THREADPOOL_SIZE) || 4): number {
  return Math.max(1, Math.min(threads - 2, Math.max(2, availableParallelism())));
}

/** Returns how many abandoned statements may run beside the slots; one thread stays free. */
export const spareThreads = (
  concurrency: number,
  threads = Number(process.env.UV_THREADPOOL_SIZE) || 4,
): number => Math.max(0, threads - concurrency - 1);

/** Refuses remote access without a password, because the engine can read files of this account. */
export function refuseOpenAddress(host: string, password: string): void {
  if (password !== "" || isLoopback(host)) return;
  throw new UserError(
    `The HTTP interface cannot listen on ${host} without a password: ` +
      "anyone who can reach that address could read files of this account",
    "set CLICKHOUSE_PASSWORD, or use --host 127.0.0.1",
  );
}
