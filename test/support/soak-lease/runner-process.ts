/**
 * Runs the batch process, or empties the layers, on a server: `runner-process.ts ADDRESS TASK`,
 * a `ServerAddress` and a `Task` as JSON. Signals itself before the task's statement, because no other process can hit that
 * moment. Prints the signal before it sends it, and the outcome at the end.
 */
import { writeSync } from "node:fs";
import { UserError } from "../../../contract/errors.ts";
import { clearLayers } from "../../../warehouse/batch/clear-layers.ts";
import { LeaseLost } from "../../../warehouse/batch/lease.ts";
import { transform } from "../../../warehouse/batch/transform.ts";
import { type ServerAddress, ServerDatabase } from "../../../warehouse/database/http.ts";
import { CHANGED_ROWS } from "../pipeline.ts";
import type { Outcome, Task } from "./runner.ts";

const [address = "{}", text = "{}"] = process.argv.slice(2);
const task = JSON.parse(text) as Task;
const say = (line: string) => writeSync(1, `${line}\n`);

let statements = 0;
const onStatement = (file: string): void => {
  statements += 1;
  if (!task.signal || statements !== task.signal.beforeStatement) return;
  say(`${task.signal.name} ${file}`);
  process.kill(process.pid, task.signal.name);
};

/** Counts the holder's statements that empty a table like those of a run. */
function signalling(server: ServerDatabase): ServerDatabase {
  const inDatabase = server.inDatabase.bind(server);
  server.inDatabase = (name) => {
    const holder = inDatabase(name);
    const run = holder.run.bind(holder);
    holder.run = (sql, ...rest) => {
      if (sql.startsWith("TRUNCATE")) onStatement(sql);
      return run(sql, ...rest);
    };
    return holder;
  };
  return server;
}

async function work(db: ServerDatabase): Promise<void> {
  if (task.kind === "clear") return clearLayers(signalling(db), task.lease);
  const fullRefresh = task.kind === "full";
  await transform(db, {
    fullRefresh,
    waitSeconds: 1,
    plan: CHANGED_ROWS,
    onStatement,
    lease: task.lease,
  });
}

function outcomeOf(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof LeaseLost) return { kind: "lost", message };
  if (error instanceof UserError && /^No data in stg/.test(message))
    return { kind: "empty", message };
  const isBehind = /stopped the run: (dds is committed up to|load_dds under lease|dds changed)/;
  if (error instanceof UserError && isBehind.test(message)) return { kind: "gate", message };
  return { kind: "failed", message };
}

const db = new ServerDatabase(JSON.parse(address) as ServerAddress);
const outcome = await work(db).then((): Outcome => ({ kind: "done", message: "" }), outcomeOf);
say(`ended ${JSON.stringify(outcome)}`);
await db.close();
