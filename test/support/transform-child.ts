/**
 * Runs the batch process on a data directory in a separate process, so that a test can kill it.
 * Arguments: directory, full | incremental, changed plan parameters as JSON, the statement before
 * which the process kills (0: never), and whom: itself, its engine, or both. Prints the file of
 * every statement, and at the end the digests.
 */
import { transform } from "../../warehouse/batch/transform.ts";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { digests } from "../../warehouse/reconciliation/digests.ts";
import { killProcesses, type VICTIMS } from "./kill.ts";
import { CHANGED_ROWS } from "./pipeline.ts";

const [directory = "", mode, changed = "{}", killBefore = "0", victim] = process.argv.slice(2);
const db = await openWorkspace(directory);
const files: string[] = [];
await transform(db, {
  fullRefresh: mode === "full",
  waitSeconds: 1,
  plan: { ...CHANGED_ROWS, params: { ...CHANGED_ROWS.params, ...JSON.parse(changed) } },
  onStatement: (file) => {
    files.push(file);
    if (files.length !== Number(killBefore)) return;
    killProcesses(directory, process.pid, victim as (typeof VICTIMS)[number]);
  },
});
console.log(JSON.stringify({ files, digests: await digests(db) }));
await db.close();
