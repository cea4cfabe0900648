import { createHash } from "node:crypto";
import { type StreamCounts, zeroCounts } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import { type StreamName, streams } from "../../contract/streams.ts";
import { checksumOf } from "../canonical.ts";
import { type FileFacts, openDataset, PARTS, type Part } from "./format.ts";
import { readLines } from "./lines.ts";

interface DatasetReport {
  readonly lines: StreamCounts;
  /** Unreadable files and deviations from the manifest; empty for a valid dataset. */
  readonly problems: readonly string[];
}

/**
 * Reads every line and compares the files with the manifest, without validating messages.
 * @throws UserError if there is no dataset
 */
export async function validateDataset(dir: string): Promise<DatasetReport> {
  const dataset = await openDataset(dir);
  const lines = zeroCounts();
  const problems: string[] = [];
  for (const part of PARTS) {
    try {
      const found = await readFacts(dataset.files[part]);
      if (isStream(part)) lines[part] = found.lines;
      problems.push(...differences(part, found, dataset.manifest?.files[part]));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(error.message);
    }
  }
  const manifest = dataset.manifest?.manifest;
  if (manifest && checksumOf(manifest) !== manifest.checksum)
    problems.push("manifest.json: the checksum does not match the content");
  return { lines, problems };
}

async function readFacts(file: string | undefined): Promise<FileFacts> {
  const hash = createHash("sha256");
  let count = 0;
  if (file) {
    for await (const lines of readLines(file, (bytes) => hash.update(bytes))) count += lines.length;
  }
  return { lines: count, sha256: hash.digest("hex") };
}

const isStream = (part: Part): part is StreamName => part in streams;

function differences(part: Part, found: FileFacts, expected: FileFacts | undefined): string[] {
  if (!expected || found.sha256 === expected.sha256) return [];
  return [
    found.lines === expected.lines
      ? `${part}: the content does not match the manifest's sha256`
      : `${part}: ${found.lines} lines, the manifest has ${expected.lines}`,
  ];
}
