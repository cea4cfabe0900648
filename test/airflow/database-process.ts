/**
 * Serves the engine over HTTP and reads a broker's topics until it is killed:
 * `database-process.ts DIR BOOTSTRAP PORT`.
 */
import { EmbeddedEngine } from "../../embedded/engine.ts";
import { startHttp } from "../../embedded/http/server.ts";
import { defineBroker } from "../../warehouse/epochs/named-collection.ts";
import { connectionTo } from "../kafka/connection.ts";

const [directory = "", bootstrap = "", port = "0"] = process.argv.slice(2);
const engine = new EmbeddedEngine(directory);
await defineBroker(engine, connectionTo(bootstrap));
const http = await startHttp(engine, { port: Number(port) });
console.log(http.url);
