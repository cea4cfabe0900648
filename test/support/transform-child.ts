/**
 * Runs the batch process on a data directory in a separate process, so that a test can kill it.
 * Arguments: directory, full | incremental, changed plan parameters as JSON, and the statement
 * before which the process kills itself (0: never). Prints the file of every statement, and at the
 * end the digests.
 */
import { readPlan } from "../../warehouse/batch/plan.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { digests } from "../../warehouse/reconciliation/digests.ts";

const [directory = "", mode, changed = "{}", killBefore = "0"] = process.argv.slice(2);
const db = await openWorkspace(directory);
const plan = readPlan();
const files: string[] = [];
await transform(db, {
  fullRefresh: mode === "full",
  waitSeconds: 1,
  plan: { ...plan, params: { ...plan.params, ...JSON.parse(changed) } },
  onStatement: (file) => {
    files.push(file);
    if (files.length === Number(killBefore)) process.kill(process.pid, "SIGKILL");
  },
});
console.log(JSON.stringify({ files, digests: await digests(db) }));
await db.close();
