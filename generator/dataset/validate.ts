import { createHash } from "node:crypto";
import { type StreamCounts, zeroCounts } from "../../contract/defects.ts";
import { UserError } from "../../contract/errors.ts";
import { STREAMS, type StreamName } from "../../contract/streams.ts";
import { HOUR, parseMicros } from "../../contract/time.ts";
import { checksumOf } from "../canonical.ts";
import { GeneratorCounters } from "../counters.ts";
import { type Dataset, type DatasetManifest, openDataset, PARTS, type Part } from "./format.ts";
import { readBytes, readLines } from "./lines.ts";
import { readBatches } from "./reader.ts";

interface DatasetReport {
  readonly lines: StreamCounts;
  /** Unreadable files and deviations from the manifest; empty for a valid data set. */
  readonly problems: string[];
}

/**
 * Reads every line and compares the files with the manifest, without validating messages.
 * @throws UserError if there is no data set
 */
export async function validateDataset(dir: string): Promise<DatasetReport> {
  const dataset = await openDataset(dir);
  const report: DatasetReport = { lines: zeroCounts(), problems: [] };
  for (const stream of STREAMS) await noteUnreadable(report, countLines(dataset, stream, report));
  if (dataset.manifest) {
    await noteUnreadable(report, checkManifest(dataset, dataset.manifest, report));
  }
  return report;
}

async function noteUnreadable(report: DatasetReport, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (!report.problems.includes(error.message)) report.problems.push(error.message);
  }
}

async function countLines(
  { files }: Dataset,
  stream: StreamName,
  report: DatasetReport,
): Promise<void> {
  for await (const lines of readLines(files[stream])) report.lines[stream] += lines.length;
}

async function checkManifest(
  dataset: Dataset,
  { files, manifest }: DatasetManifest,
  { lines, problems }: DatasetReport,
): Promise<void> {
  for (const stream of STREAMS) {
    const found = lines[stream];
    const expected = manifest.counts[stream];
    if (found !== expected)
      problems.push(`${stream}: ${found} lines, the manifest has ${expected}`);
  }
  if (checksumOf(manifest) !== manifest.checksum) {
    problems.push("manifest.json: the checksum does not match the content");
  }
  for (const part of PARTS) {
    const expected = files[part]?.sha256;
    if (expected && (await contentDigest(dataset, part)) !== expected) {
      problems.push(`${part}: the content does not match the manifest's sha256`);
    }
  }
  if (dataset.files.clock) problems.push(...(await wrongDigests(dataset, manifest)));
}

async function contentDigest({ files }: Dataset, part: Part): Promise<string | null> {
  const file = files[part];
  if (!file) return null;
  const hash = createHash("sha256");
  for await (const chunk of readBytes(file)) hash.update(chunk);
  return hash.digest("hex");
}

async function wrongDigests(
  dataset: Dataset,
  manifest: DatasetManifest["manifest"],
): Promise<string[]> {
  const t0 = parseMicros(manifest.t0);
  const counters = new GeneratorCounters();
  let hour = 0;
  const endsBefore = (_: unknown, next: number): boolean => {
    const before = hour;
    hour = Math.floor((next - t0) / HOUR);
    return hour !== before;
  };
  for await (const batch of readBatches(dataset, { endsBefore })) counters.add(batch);
  const { digests } = counters.snapshot();
  return STREAMS.filter((stream) => digests[stream] !== manifest.digests[stream]).map(
    (stream) => `${stream}: the chained digest does not match the manifest's`,
  );
}
