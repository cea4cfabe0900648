import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { readSecret } from "../../contract/secret.ts";
import { READER, WRITER } from "../engine/configuration.ts";
import { type Engine, holdEngine } from "../engine/engine.ts";
import { isServer } from "../engine/workspace.ts";
import { ServerDatabase } from "./http.ts";

/** Opens the server at a URL, or the engine of a workspace, which it starts if needed. @throws UserError */
export const openDatabase = async (target: string): Promise<ServerDatabase> =>
  isServer(target) ? openServer(target) : openWorkspace(target);

export const openWorkspace = async (directory: string): Promise<ServerDatabase> =>
  new WorkspaceDatabase(directory, await holdEngine(directory));

/** The engine of a workspace, which this process holds until `close`. */
class WorkspaceDatabase extends ServerDatabase {
  readonly #engine: Engine;

  constructor(directory: string, engine: Engine) {
    super({
      url: `http://127.0.0.1:${engine.httpPort}`,
      user: WRITER,
      password: engine.password,
      reader: { username: READER, password: engine.readerPassword },
      directory,
    });
    this.#engine = engine;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#engine.release();
  }
}

/** Passes an empty temporary workspace to `work`, then removes it. */
export async function withTemporaryWorkspace<T>(
  work: (db: ServerDatabase) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "pipeline-"));
  try {
    const db = await openWorkspace(directory);
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Opens a server. @throws UserError for an invalid URL */
export function openServer(url: string): ServerDatabase {
  if (!URL.canParse(url)) {
    throw new UserError(
      `--database ${url} is not valid. Allowed: http(s)://host:port, or a directory`,
      "use --database DIR for a workspace, or --database http://HOST:PORT for a server",
    );
  }
  return new ServerDatabase({
    url,
    user: process.env.CLICKHOUSE_USER ?? "default",
    password: readSecret(process.env, "CLICKHOUSE_PASSWORD") ?? "",
  });
}
