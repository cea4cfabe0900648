import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { below, pick, type Rng, seededRng } from "../../../generator/model/random.ts";
import { ServerProcess } from "./server-process.ts";

export interface SoakOptions {
  readonly seed: string;
  readonly seconds: number;
}

export interface SoakResult {
  /** Requests by kind of client. */
  readonly requests: Readonly<Record<string, number>>;
  /** Exit code or signal of a server that ended, with its last output. */
  readonly ended: string | undefined;
  /** Files in the temporary folder, deleted files that are still open, and running queries. */
  readonly leftBehind: readonly string[];
}

const WITHIN_MS = 30_000;

/** Clients abort, kill, insert and use sessions at random moments; the server must survive them. */
export async function soak({ seed, seconds }: SoakOptions): Promise<SoakResult> {
  const directory = mkdtempSync(join(tmpdir(), "http-soak-"));
  const server = await ServerProcess.start(directory);
  try {
    await send(server, "CREATE TABLE soak (a UInt64) ENGINE = MergeTree ORDER BY a");
    const requests = Object.fromEntries(Object.keys(CLIENTS).map((kind) => [kind, 0]));
    const deadline = Date.now() + seconds * 1000;
    const client = async (kind: string, number: number): Promise<void> => {
      const rng = seededRng(seed, `${kind} ${number}`);
      while (Date.now() < deadline && server.ended === undefined) {
        await CLIENTS[kind]?.request(server, rng);
        requests[kind] = (requests[kind] ?? 0) + 1;
      }
    };
    await Promise.all(
      Object.entries(CLIENTS).flatMap(([kind, { count }]) =>
        Array.from({ length: count }, (_, number) => client(kind, number)),
      ),
    );
    const leftBehind = server.ended === undefined ? await remains(server, directory) : [];
    return { requests, ended: server.ended, leftBehind };
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Client {
  readonly count: number;
  request(server: ServerProcess, rng: Rng): Promise<void>;
}

const LONG = [
  "SELECT sleepEachRow(0.05) FROM numbers(1000) SETTINGS max_block_size = 1",
  "SELECT number FROM system.numbers",
  "SELECT sum(cityHash64(number)) FROM numbers(100000000000)",
  "SELECT number FROM numbers(3000000) FORMAT JSON",
  "SELECT count() FROM soak WHERE sleepEachRow(0.01) = 0",
];
const KILLS = [
  "KILL QUERY WHERE 1",
  "KILL QUERY WHERE 1 SYNC",
  "KILL QUERY WHERE query_id != ''",
  "KILL QUERY WHERE 1 TEST",
];
const SHORT = [
  "SELECT 1",
  "SELECT * FROM soak LIMIT 5",
  "SELECT 1 FORMAT JSON",
  "SELECT throwIf(1)",
];

const CLIENTS: Readonly<Record<string, Client>> = {
  leave: {
    count: 4,
    request: (server, rng) =>
      send(server, pick(rng, LONG), {
        url: pick(rng, [{}, { wait_end_of_query: "1" }, { enable_http_compression: "1" }]),
        leaveAfterMs: below(rng, 150),
      }),
  },
  kill: { count: 4, request: (server, rng) => send(server, pick(rng, KILLS)) },
  read: { count: 1, request: (server, rng) => send(server, pick(rng, SHORT)) },
  insert: {
    count: 1,
    request: (server, rng) =>
      send(server, `INSERT INTO soak FORMAT TSV\n${"1\n".repeat(1 + below(rng, 50_000))}`, {
        leaveAfterMs: pick(rng, [5, 50, WITHIN_MS]),
      }),
  },
  session: {
    count: 1,
    request: (server, rng) =>
      send(server, pick(rng, [...SHORT, ...LONG]), {
        url: { session_id: pick(rng, ["a", "b"]), max_threads: "1" },
        leaveAfterMs: below(rng, 300),
      }),
  },
};

/** Sends a statement; discards the response, or disconnects before its end. */
async function send(
  server: ServerProcess,
  sql: string,
  {
    url = {},
    leaveAfterMs = WITHIN_MS,
  }: { url?: Record<string, string>; leaveAfterMs?: number } = {},
): Promise<void> {
  try {
    const answer = await fetch(`${server.url}/?${new URLSearchParams(url)}`, {
      method: "POST",
      body: sql,
      signal: AbortSignal.timeout(leaveAfterMs),
    });
    await answer.arrayBuffer();
  } catch {
    // The client left, the query was killed, or the server ended, which `ended` records.
    await sleep(1);
  }
}

/** Leftovers after a generous wait; empty if all is well. */
async function remains(server: ServerProcess, directory: string): Promise<string[]> {
  const left = async (): Promise<string[]> => [
    ...(await otherQueries(server)),
    ...spoolFiles(directory),
    ...deletedButOpen(server.pid, directory),
  ];
  let found = await left();
  for (const deadline = Date.now() + WITHIN_MS; found.length > 0 && Date.now() < deadline; ) {
    await sleep(100);
    found = await left();
  }
  return found;
}

async function otherQueries(server: ServerProcess): Promise<string[]> {
  const body =
    "SELECT elapsed, is_cancelled, query FROM system.processes WHERE query NOT LIKE '%system.processes%'";
  const answer = await fetch(server.url, { method: "POST", body });
  return (await answer.text()).split("\n").filter(Boolean);
}

/** Files in the folders that a server keeps for bodies and results. */
const spoolFiles = (parent: string): string[] =>
  readdirSync(parent)
    .filter((name) => name.startsWith("event-pipeline-http-"))
    .flatMap((name) => readdirSync(join(parent, name)));

function deletedButOpen(pid: number, directory: string): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder)
    .map((fd) => linkOf(join(folder, fd)))
    .filter((path) => path.startsWith(join(directory, "event-pipeline-http-")));
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
