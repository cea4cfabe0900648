import { join } from "node:path";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { readSecret } from "../secret.ts";
import { ServerDatabase } from "./http.ts";

/** Where the embedded engine keeps its data unless told otherwise. */
export const STATE_ROOT = join(import.meta.dirname, "../../.state");
export const EMBEDDED_DIRECTORY = join(STATE_ROOT, "embedded");

/**
 * Opens `target`: an http(s) URL of a ClickHouse server, or a data directory of the embedded
 * engine. Credentials of a server come from CLICKHOUSE_USER (default `default`) and
 * CLICKHOUSE_PASSWORD, or the file that CLICKHOUSE_PASSWORD_FILE names.
 * @throws UserError when the directory is in use or the URL is not one
 */
export async function openDatabase(target: string): Promise<Database> {
  if (!/^https?:/.test(target)) {
    const { EmbeddedEngine } = await import("../../embedded/engine.ts");
    return new EmbeddedEngine(target);
  }
  if (!URL.canParse(target)) {
    throw new UserError(
      `--database ${target} is not a URL. Allowed: http(s)://host:port, or a directory.`,
      "--database DIR for the embedded engine, or --database http://HOST:PORT for a server",
    );
  }
  return new ServerDatabase({
    url: target,
    user: process.env.CLICKHOUSE_USER ?? "default",
    password: readSecret(process.env, "CLICKHOUSE_PASSWORD") ?? "",
  });
}
