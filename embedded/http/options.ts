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
  /** Further users that may do all `default` may: the engine knows no rights. Default: none. */
  readonly users?: Users | undefined;
  /** What `SYSTEM RELOAD CONFIG` does: says who may ask from then on. Default: refused. */
  readonly reload?: (() => Promise<Access>) | undefined;
  /** A second port that answers /metrics alone, without a password. Default: none. */
  readonly metricsPort?: number | undefined;
  /** Queries that run at once; the others wait. Default: see `defaultConcurrency`. */
  readonly concurrency?: number | undefined;
  /** Longest wait for a turn, in milliseconds. Default 60 000. */
  readonly queueTimeoutMs?: number | undefined;
  /** Longest wait for a client's headers, or for its body to go on, in milliseconds. Default 60 000. */
  readonly clientTimeoutMs?: number | undefined;
  /** Sessions that are kept at once; each takes about 0.15 MiB. Default 1000. */
  readonly maxSessions?: number | undefined;
  /** Where bodies and large results are kept while they pass. Default: the system's folder. */
  readonly temporaryDirectory?: string | undefined;
}

/**
 * A running query holds one of Node's worker threads, 4 unless UV_THREADPOOL_SIZE says otherwise.
 * Two stay free: one for the program's own queries, one for files and compression.
 */
export function defaultConcurrency(threads = Number(process.env.UV_THREADPOOL_SIZE) || 4): number {
  return Math.max(1, Math.min(threads - 2, Math.max(2, availableParallelism())));
}

/**
 * Statements that the engine does not end at once, and that take no place any more: one thread at
 * least stays free of them and of those that run.
 */
export const spareThreads = (
  concurrency: number,
  threads = Number(process.env.UV_THREADPOOL_SIZE) || 4,
): number => Math.max(0, threads - concurrency - 1);

/** The engine reads any file of this account, so nobody else may ask it without a password. */
export function refuseOpenAddress(host: string, password: string): void {
  if (password !== "" || isLoopback(host)) return;
  throw new UserError(
    `The HTTP interface cannot listen on ${host} without a password: ` +
      "everyone who reaches that address could read files of this account",
    "set CLICKHOUSE_PASSWORD, or leave --host at 127.0.0.1",
  );
}
