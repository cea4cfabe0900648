/** Serves the engine with the schema over HTTP until it is killed: `server-process.ts DIR`. */
import { EmbeddedEngine } from "../../../embedded/engine.ts";
import { startHttp } from "../../../embedded/http/server.ts";
import { applyDdl } from "../../../warehouse/schema/ddl.ts";

const [directory = ""] = process.argv.slice(2);
const engine = new EmbeddedEngine(directory);
await applyDdl(engine, "all");
const http = await startHttp(engine, { port: 0 });
console.log(http.url);
