import { createHash } from "node:crypto";
import type { Admin } from "@platformatic/kafka";
import { STREAMS, streams } from "../../contract/streams.ts";
import { HOUR, type Micros } from "../../contract/time.ts";
import { type GeneratorConfig, parseConfig } from "../../generator/config.ts";
import { loadDonors } from "../../generator/dataset/donors.ts";
import { GeneratorRun } from "../../generator/run.ts";
import { offsetRanges, readCommitted } from "../../kafka/read.ts";

/** Count and sum of hashes: equal for equal sets of messages, whatever their order. */
class SetDigest {
  #count = 0;
  #sum = 0n;

  add(value: string): void {
    this.#count += 1;
    const hash = createHash("sha1").update(value).digest();
    this.#sum = (this.#sum + hash.readBigUInt64LE()) & 0xffff_ffff_ffff_ffffn;
  }

  toString(): string {
    return `${this.#count} ${this.#sum.toString(16)}`;
  }
}

export interface Reference {
  /** Checksum of the manifest of [t0, tEnd). */
  readonly checksum: string;
  readonly digests: Readonly<Record<string, string>>;
}

/** Messages that an undisturbed run writes up to `until`, made without a broker. */
export async function referenceOf(
  env: Readonly<Record<string, string>>,
  until: Micros,
): Promise<Reference> {
  const config: GeneratorConfig = parseConfig(env);
  const run = new GeneratorRun(config, await loadDonors(config));
  const sums = newSums();
  const tEnd = config.tEnd ?? config.t0;
  while (run.modelTime < tEnd) addAll(sums, run.nextHour(tEnd));
  const { checksum } = run.manifest(tEnd);
  while (run.modelTime < until) addAll(sums, run.advance(Math.min(run.modelTime + HOUR, until)));
  return { checksum, digests: printed(sums) };
}

/** Digest of the topics. */
export async function digestsInTopics(admin: Admin): Promise<Reference["digests"]> {
  const sums = newSums();
  for (const stream of STREAMS) {
    const { topic } = streams[stream];
    for (const range of await offsetRanges(admin, topic)) {
      for await (const { value } of readCommitted(admin, topic, range)) {
        sums[stream].add(String(value));
      }
    }
  }
  return printed(sums);
}

const newSums = () => ({
  browser: new SetDigest(),
  location: new SetDigest(),
  device: new SetDigest(),
  geo: new SetDigest(),
});
type Sums = ReturnType<typeof newSums>;

function addAll(sums: Sums, batch: ReturnType<GeneratorRun["advance"]>): void {
  for (const stream of STREAMS) for (const value of batch[stream].values) sums[stream].add(value);
}

const printed = (sums: Sums): Record<string, string> =>
  Object.fromEntries(STREAMS.map((stream) => [stream, String(sums[stream])]));
