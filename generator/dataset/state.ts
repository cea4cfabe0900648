import type { DonorPool } from "../model/donors.ts";
import { parseState, type StateV3 } from "../model/state.ts";
import type { Dataset } from "./format.ts";
import { readLines } from "./lines.ts";

/** Reads the state; null if absent. @throws UserError if unreadable or made with other donors */
export async function readDatasetState(
  { files }: Dataset,
  donors: DonorPool,
): Promise<StateV3 | null> {
  if (!files.state) return null;
  const parts: string[] = [];
  for await (const lines of readLines(files.state)) parts.push(...lines);
  return parseState(parts.join("\n"), donors);
}
