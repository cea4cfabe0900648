import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRng } from "../../../generator/model/random.ts";
import { ServerDatabase } from "../../../warehouse/database/http.ts";
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
  const directory = mkdtempSync(join(tmpdir(), "soak-lease-"));
  const { server, url } = await startServer(join(directory, "data"));
  const db = new ServerDatabase({ url, user: "default", password: "" });
  try {
    const soak = new Rounds(db, url, await Content.open(db, seed), seededRng(seed, "soak-lease"));
    const differences: string[] = [];
    for (let round = 1; round <= rounds; round++) {
      const difference = await soak.round().catch((error: Error) => error.message);
      if (difference) differences.push(difference);
      log?.(
        `round ${round}: ${difference ?? soak.story.join("; ")} ${JSON.stringify(soak.counts)}`,
      );
    }
    return { ...soak.counts, differences };
  } finally {
    await db.close();
    server.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startServer(directory: string): Promise<{ server: ChildProcess; url: string }> {
  const path = join(import.meta.dirname, "server-process.ts");
  const server = spawn(process.execPath, [path, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!server.stdout) throw new Error("the server has no output");
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  return { server, url: String(line).trim() };
}
