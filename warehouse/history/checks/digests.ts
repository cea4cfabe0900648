import { STREAMS, type StreamName } from "../../../contract/streams.ts";
import { DAY, type Micros } from "../../../contract/time.ts";
import { sha256 } from "../../../generator/canonical.ts";
import { emptyCounters } from "../../../generator/counters.ts";
import { messageTables } from "../../sql.ts";
import { ask, askOne, type CheckContext } from "./context.ts";
import type { ExpiredCounts } from "./counts.ts";
import { type CheckResult, count, skipped, verdict } from "./result.ts";

interface BatchDigest {
  readonly batch: number;
  readonly digest: string;
  readonly lines: number;
  readonly ties: number;
}

/** Compares digests in order of emission or, without order, as sums; skips without evidence. */
export async function checkDigests(
  context: CheckContext,
  expired: ExpiredCounts,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const stream of STREAMS) results.push(await checkStream(context, stream, expired[stream]));
  return results;
}

async function checkStream(
  context: CheckContext,
  stream: StreamName,
  expired: number,
): Promise<CheckResult> {
  const id = `digest of ${stream}`;
  if (expired > 0) {
    return skipped(id, `${count(expired)} payloads are past the time to live of stg`);
  }
  type Facts = { partitions: number; without_time: number };
  const facts = await askOne<Facts>(context, "partitions", messageTables(stream));
  if (facts.without_time > 0) {
    const why = `${count(facts.without_time)} messages have no emission time`;
    return checkSum(context, stream, why);
  }
  const found = await chainedDigest(context, stream, facts.partitions);
  const promised = context.manifest.digests[stream];
  const fits = found.digest === promised;
  if (!fits && found.ties > 0) {
    const why = `the order across ${facts.partitions} partitions is unknown: ${count(found.ties)} messages share an emission time`;
    return checkSum(context, stream, why);
  }
  const detail = `${count(found.lines)} payloads give ${found.digest}`;
  return verdict(id, fits, fits ? detail : `${detail}, the manifest has ${promised}`);
}

async function checkSum(
  context: CheckContext,
  stream: StreamName,
  why: string,
): Promise<CheckResult> {
  const id = `digest of ${stream}`;
  const promised = context.manifest.sums[stream];
  type Sum = { lines: number; digest: string };
  const found = await askOne<Sum>(context, "payload_sum", messageTables(stream));
  const detail = `${count(found.lines)} payloads sum up to ${found.digest}`;
  return found.digest === promised
    ? verdict(id, true, `${detail} (${why})`)
    : verdict(id, false, `${detail}, the manifest has ${promised}`);
}

/** Chains digests day by day, to limit the memory. */
async function chainedDigest(context: CheckContext, stream: StreamName, partitions: number) {
  let digest = emptyCounters().digests[stream];
  let lines = 0;
  let ties = 0;
  for (let from: Micros = context.t0; from < context.tEnd; from += DAY) {
    const to = Math.min(from + DAY, context.tEnd);
    const params = { topic: messageTables(stream).topic, partitions, from, to };
    for (const batch of await ask<BatchDigest>(context, "batch_digests", params)) {
      digest = sha256(digest + batch.digest);
      lines += batch.lines;
      ties += batch.ties;
    }
  }
  return { digest, lines, ties };
}
