import type { DonorPool } from "../model/donors.ts";
import { parseState, type StateV3 } from "../model/state.ts";
import type { Dataset } from "./format.ts";
import { readLines } from "./lines.ts";

/** Null if the set has none. @throws UserError if it cannot be read or belongs to other donors */
export async function readDatasetState(
  { files }: Dataset,
  donors: DonorPool,
): Promise<StateV3 | null> {
  if (!files.state) return null;
  const parts: string[] = [];
  for await (const lines of readLines(files.state)) parts.push(...lines);
  return parseState(parts.join("\n"), donors);
}
