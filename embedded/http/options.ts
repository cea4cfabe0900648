import { availableParallelism } from "node:os";
import { UserError } from "../../contract/errors.ts";
import type { Access, Users } from "./auth.ts";
import { isLoopback } from "./guard.ts";

export interface HttpOptions {
  /** Address to listen on. Default 127.0.0.1: this machine only. */
  readonly host?: string | undefined;
  /** Default: 9133, or another free port when 9133 is taken. 0: any free port. */
  readonly port?: number | undefined;
  /** Password of the user `default`, or `sha256:` and its hash. Empty (default): none is asked for. */
  readonly password?: string | undefined;
  /** They have the rights of `default`: the engine has no access control. Default: none. */
  readonly users?: Users | undefined;
  /** Called by `SYSTEM RELOAD CONFIG`; returns the new access rules. Default: refused. */
  readonly reload?: (() => Promise<Access>) | undefined;
  /** A second port that serves only /metrics, without a password. Default: none. */
  readonly metricsPort?: number | undefined;
  /** Number of concurrent queries. Default: see `defaultConcurrency`. */
  readonly concurrency?: number | undefined;
  /** Longest wait for a slot, milliseconds. Default 60 000. */
  readonly queueTimeoutMs?: number | undefined;
  /** Longest wait for headers or the next bytes of a body, milliseconds. Default 60 000. */
  readonly clientTimeoutMs?: number | undefined;
  /** Number of concurrent sessions; each takes about 0.15 MiB. Default 1000. */
  readonly maxSessions?: number | undefined;
  /** Folder of bodies and large results in transit. Default: the system's folder. */
  readonly temporaryDirectory?: string | undefined;
}

/** A running query holds a Node worker thread (4, or UV_THREADPOOL_SIZE); two stay free. */
export function defaultConcurrency(threads = Number(process.env.UV_THREADPOOL_SIZE) || 4): number {
  return Math.max(1, Math.min(threads - 2, Math.max(2, availableParallelism())));
}

/** Abandoned statements that occupy no slot; leaves at least one thread free. */
export const spareThreads = (
  concurrency: number,
  threads = Number(process.env.UV_THREADPOOL_SIZE) || 4,
): number => Math.max(0, threads - concurrency - 1);

/** The engine can read any file of this account, so remote access needs a password. */
export function refuseOpenAddress(host: string, password: string): void {
  if (password !== "" || isLoopback(host)) return;
  throw new UserError(
    `The HTTP interface cannot listen on ${host} without a password: ` +
      "everyone who reaches that address could read files of this account",
    "set CLICKHOUSE_PASSWORD, or leave --host at 127.0.0.1",
  );
}
