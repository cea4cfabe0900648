import { UserError } from "../../contract/errors.ts";
import type { ReadableDatabase } from "../../contract/ports.ts";
import { readSecret } from "../../contract/secret.ts";
import { ServerDatabase } from "./http.ts";
import { isServer } from "./workspace.ts";

/** Opens a URL or a directory, through HTTP if `pipeline serve` runs on it. @throws UserError */
export async function openDatabase(target: string): Promise<ReadableDatabase> {
  if (!isServer(target)) {
    const { readServerAddress } = await import("../../embedded/server-address.ts");
    const url = readServerAddress(target);
    if (url !== undefined) return openServer(url, target);
    const { EmbeddedEngine } = await import("../../embedded/engine.ts");
    return new EmbeddedEngine(target);
  }
  return openServer(target);
}

/** Opens a server. @throws UserError for an invalid URL */
export function openServer(url: string, directory?: string): ServerDatabase {
  if (!URL.canParse(url)) {
    throw new UserError(
      `--database ${url} is not valid. Allowed: http(s)://host:port, or a directory`,
      "use --database DIR for the embedded engine, or --database http://HOST:PORT for a server",
    );
  }
  return new ServerDatabase({
    url,
    ...(directory === undefined ? {} : { directory }),
    user: process.env.CLICKHOUSE_USER ?? "default",
    password: readSecret(process.env, "CLICKHOUSE_PASSWORD") ?? "",
  });
}
