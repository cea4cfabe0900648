/** Reads the topics into a data directory until it is killed: `consumer-process.ts DIR BOOTSTRAP`. */
import { connectionTo } from "./connection.ts";
import { openConsumer } from "./consumer.ts";

const [directory = "", bootstrap = ""] = process.argv.slice(2);
await openConsumer(directory, connectionTo(bootstrap));
console.log("ready");
// The engine's reader threads do not keep the process running.
setInterval(() => undefined, 60_000);
