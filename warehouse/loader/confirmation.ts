import { UserError } from "../../contract/errors.ts";
import { STREAMS } from "../../contract/streams.ts";
import type { Dataset } from "../../generator/dataset/format.ts";
import { readLines } from "../../generator/dataset/lines.ts";
import { confirm } from "../../terminal/confirm.ts";

const ASK_ABOVE = 1_000_000;

/** Asks before a large load; YES=1 confirms in advance. @throws UserError without confirmation */
export async function askForLarge(
  dataset: Dataset,
  limit: number,
  env: Readonly<Record<string, string | undefined>> = process.env,
  isOnStack = true,
): Promise<void> {
  if (limit > 0 || env.YES === "1" || !(await isLarge(dataset))) return;
  const about = `${dataset.dir} has more than 1,000,000 rows`;
  if (!process.stdin.isTTY) {
    throw new UserError(
      `${about}: a full load needs confirmation`,
      isOnStack
        ? "YES=1 make data (all of it), or LIMIT=50 make data (a slice)"
        : "YES=1 in the environment (all of it), or --limit 50 (a slice)",
    );
  }
  if (!(await confirm(`${about}. Load all of it?`))) {
    throw new UserError(
      "Nothing was loaded",
      `to load a slice, use ${isOnStack ? "LIMIT=50 make data" : "--limit 50"}`,
    );
  }
}

async function isLarge({ files, manifest }: Dataset): Promise<boolean> {
  if (manifest) {
    const { counts } = manifest.manifest;
    return STREAMS.reduce((sum, stream) => sum + counts[stream], 0) > ASK_ABOVE;
  }
  let rows = 0;
  for (const stream of STREAMS) {
    for await (const lines of readLines(files[stream])) {
      rows += lines.length;
      if (rows > ASK_ABOVE) return true;
    }
  }
  return false;
}
