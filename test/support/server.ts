import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { WRITER } from "../../warehouse/engine/configuration.ts";
import { holdEngine } from "../../warehouse/engine/engine.ts";
import { addSchema } from "./engine.ts";

/** Real engine with the schema, which clients know by its address only. */
export interface TestServer extends AsyncDisposable {
  readonly db: ServerDatabase;
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Variables of a command that uses the server. */
  readonly env: Readonly<Record<string, string>>;
}

export async function openTestServer(): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), "server-"));
  await addSchema(directory);
  const engine = await holdEngine(directory);
  const address = {
    url: `http://127.0.0.1:${engine.httpPort}`,
    user: WRITER,
    password: engine.password,
  };
  const db = new ServerDatabase(address);
  return {
    ...address,
    db,
    env: {
      CLICKHOUSE_URL: address.url,
      CLICKHOUSE_USER: address.user,
      CLICKHOUSE_PASSWORD: address.password,
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      await engine.release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
