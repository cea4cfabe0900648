import type { ReadableDatabase } from "../../contract/ports.ts";
import { filledTables } from "../batch/layers.ts";
import { hintToRun } from "../database/command.ts";
import { isUnfinishedLoad } from "./interrupted-load.ts";
import { lagsOf, readProgress } from "./progress.ts";
import { readAllSources } from "./source.ts";
import { hintToLoad } from "./waiting-rows.ts";

/** Returns a warning if the marts cannot hold what was loaded, such as after Ctrl+C; else null. */
export async function incompleteWarning(db: ReadableDatabase): Promise<string | null> {
  const filled = await filledTables(db);
  if (!filled.some((name) => /^(stg|dm)\./.test(name))) return null;
  const stored = [...(await readAllSources(db))];
  const unfinished = stored.at(-1)?.[1].find(isUnfinishedLoad);
  if (unfinished) {
    return `warning: the load "${unfinished.name}" was interrupted. hint: ${hintToRun(db, "prove")} to see what is missing`;
  }
  if (!filled.some((name) => name.startsWith("dm."))) {
    return `warning: the marts are empty. hint: ${hintToRun(db, "transform")}`;
  }
  const [lag] = lagsOf(await readProgress(db));
  if (lag === undefined) return null;
  return `warning: the marts may lack data: ${lag.reason}. hint: ${hintToLoad(db)}`;
}
