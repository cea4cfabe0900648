import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedEngine } from "../../embedded/engine.ts";
import { startHttp } from "../../embedded/http/server.ts";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";

/** Real engine with the schema, accessed by the HTTP interface as by clients of a server. */
export interface TestServer extends AsyncDisposable {
  /** Client of the HTTP interface. */
  readonly db: ServerDatabase;
  /** Direct access to the engine, without the HTTP interface. */
  readonly engine: EmbeddedEngine;
  readonly url: string;
}

export async function openTestServer(): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), "server-"));
  const engine = new EmbeddedEngine(join(directory, "data"));
  const http = await startHttp(engine, { port: 0, temporaryDirectory: directory });
  const db = new ServerDatabase({ url: http.url, user: "default", password: "" });
  await applyDdl(db, "all");
  return {
    db,
    engine,
    url: http.url,
    async [Symbol.asyncDispose]() {
      await db.close();
      await http.close();
      await engine.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
