/**
 * Reads the topics into stg of the full schema until it is killed: `engine-process.ts DIR
 * BOOTSTRAP`.
 */
import { connectionTo } from "./connection.ts";
import { openWholeConsumer } from "./consumer.ts";

const [directory = "", bootstrap = ""] = process.argv.slice(2);
await openWholeConsumer(directory, connectionTo(bootstrap));
console.log("ready");
// The engine's reader threads do not keep the process running.
setInterval(() => undefined, 60_000);
