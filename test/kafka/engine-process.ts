/** Reads the topics into every layer's stg until it is killed: `engine-process.ts DIR BOOTSTRAP`. */
import { connectionTo } from "./connection.ts";
import { openWholeConsumer } from "./consumer.ts";

const [directory = "", bootstrap = ""] = process.argv.slice(2);
await openWholeConsumer(directory, connectionTo(bootstrap));
console.log("ready");
// The engine reads on threads of its own, which do not keep a process alive.
setInterval(() => undefined, 60_000);
