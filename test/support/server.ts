import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedEngine } from "../../embedded/engine.ts";
import { startHttp } from "../../embedded/http/server.ts";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";

/** The real engine with the schema, behind its HTTP interface: what a server's clients see. */
export interface TestServer extends AsyncDisposable {
  /** A client of the HTTP interface. */
  readonly db: ServerDatabase;
  /** The engine itself, past the HTTP interface. */
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
