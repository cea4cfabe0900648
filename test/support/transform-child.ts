/**
 * Runs the batch process on a data directory in a process of its own, so that a test can kill it.
 * Arguments: directory, full | incremental, and the number of the statement file before which the
 * process kills itself (0: never). Prints the digests at the end.
 */
import { EmbeddedEngine } from "../../embedded/engine.ts";
import { transform } from "../../pipeline/batch/transform.ts";
import { digests } from "../../pipeline/ledger/digests.ts";

const [directory = "", mode, killBefore = "0"] = process.argv.slice(2);
const db = new EmbeddedEngine(directory);
let statements = 0;
await transform(db, {
  fullRefresh: mode === "full",
  waitSeconds: 1,
  onStatement: () => {
    statements += 1;
    if (statements === Number(killBefore)) process.kill(process.pid, "SIGKILL");
  },
});
console.log(JSON.stringify({ statements, digests: await digests(db) }));
await db.close();
