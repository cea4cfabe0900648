import { seededRng } from "../../../generator/model/random.ts";
import { openTestServer } from "../server.ts";
import { Content } from "./content.ts";
import { Rounds, type SoakCounts } from "./rounds.ts";

export interface SoakOptions {
  readonly seed: string;
  readonly rounds: number;
  readonly log?: (line: string) => void;
}

export interface SoakResult extends SoakCounts {
  /** Errors of the rounds, in order. */
  readonly differences: readonly string[];
}

/**
 * Stops, resumes and kills two concurrent runs on one server at random times, with clean starts
 * and resets. After each round, no commit may belong to a lost lease, and an undisturbed
 * incremental run must give the digests of a full run.
 */
export async function soakLease({ seed, rounds, log }: SoakOptions): Promise<SoakResult> {
  await using server = await openTestServer();
  const { db } = server;
  const soak = new Rounds(server, await Content.open(db, seed), seededRng(seed, "soak-lease"));
  const differences: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const difference = await soak.round().catch((error: Error) => error.message);
    if (difference) differences.push(difference);
    log?.(`round ${round}: ${difference ?? soak.story.join("; ")} ${JSON.stringify(soak.counts)}`);
  }
  return { ...soak.counts, differences };
}
