import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Session } from "chdb";
import { isWord, tokens } from "./lexer.ts";
import { quoted } from "./parameters.ts";
import { EXCLUDE_INTERNAL_QUERIES, isOfClient, isQueryOf, type Processes } from "./processes.ts";

const POLL_MS = 20;

interface Kill {
  readonly condition: string;
  readonly mode: "SYNC" | "ASYNC";
}

/** Runs a formatted KILL QUERY outside the queue, which the statement to kill may block. */
export async function runKill(
  processes: Processes,
  sql: string,
  format: string,
  client: AbortSignal,
): Promise<Uint8Array> {
  const { session, token } = processes.connect();
  const stop = (): void => processes.kill(isQueryOf(token));
  client.addEventListener("abort", stop, { once: true });
  try {
    const text = inEngineIds(sql, processes);
    const kill = parseKill(text);
    if (!kill) return (await session.queryAsync(text, { format })).bytes();
    return await chooseAndKill(processes, session, kill, format, client);
  } finally {
    client.removeEventListener("abort", stop);
    session.close();
  }
}

async function chooseAndKill(
  processes: Processes,
  session: Session,
  { condition, mode }: Kill,
  format: string,
  client: AbortSignal,
): Promise<Uint8Array> {
  // Later statements of the same session have the same token but must not be killed.
  const before = processes.current();
  const chosen = await session.queryAsync(
    `SELECT query_id, Settings['log_comment'] FROM system.processes WHERE (${condition}) AND ${EXCLUDE_INTERNAL_QUERIES}`,
    { format: "JSONCompactEachRow" },
  );
  const rows = chosen.text().split("\n").filter(Boolean).map(parsePair);
  if (rows.length === 0) return new Uint8Array();
  const these = `query_id IN (${rows.map(([id]) => quoted(id))})`;
  const status = mode === "SYNC" ? "finished" : "waiting";
  const answer = await session.queryAsync(
    `SELECT '${status}' AS kill_status, query_id, user, query FROM system.processes WHERE ${these}`,
    { format },
  );
  processes.kill(these);
  const tokens = new Set(rows.map(([, token]) => token));
  const running = before.filter(({ token }) => tokens.delete(token));
  for (const one of running) one.stop();
  if (mode === "SYNC") {
    await Promise.race([
      Promise.all(running.map(({ released }) => released)),
      waitForDisconnect(client),
    ]);
    const others = rows.filter(([, token]) => tokens.has(token) && !isOfClient(token));
    await waitForEnd(
      session,
      others.map(([id]) => id),
      client,
    );
  }
  return answer.bytes();
}

const waitForDisconnect = (client: AbortSignal): Promise<unknown> =>
  client.aborted ? Promise.resolve() : once(client, "abort");

/** Waits until the engine has ended the queries. */
async function waitForEnd(
  session: Session,
  ids: readonly string[],
  client: AbortSignal,
): Promise<void> {
  if (ids.length === 0) return;
  const sql = `SELECT count() FROM system.processes WHERE query_id IN (${ids.map(quoted)})`;
  while (!client.aborted) {
    const count = await session.queryAsync(sql, { format: "TabSeparatedRaw" });
    if (Number(count.text()) === 0) return;
    await sleep(POLL_MS);
  }
}

const parsePair = (line: string): [string, string] => JSON.parse(line) as [string, string];

/** Parses a KILL QUERY; undefined for other KILLs and TEST, which the engine runs unchanged. */
function parseKill(sql: string): Kill | undefined {
  const all = [...tokens(sql)];
  const isQuery = isWord(all[0], "KILL") && isWord(all[1], "QUERY") && isWord(all[2], "WHERE");
  const mode = all.findLast((token) => isWord(token, "SYNC", "ASYNC", "TEST") && token.depth === 0);
  const from = all[2]?.end;
  if (!isQuery || !mode || from === undefined || isWord(mode, "TEST")) return undefined;
  return { condition: sql.slice(from, mode.start), mode: isWord(mode, "SYNC") ? "SYNC" : "ASYNC" };
}

function inEngineIds(sql: string, processes: Processes): string {
  let text = "";
  let from = 0;
  for (const { kind, start, end } of tokens(sql)) {
    if (kind !== "string") continue;
    const id = processes.engineId(sql.slice(start + 1, end - 1));
    if (id === undefined) continue;
    text += sql.slice(from, start) + quoted(id);
    from = end;
  }
  return text + sql.slice(from);
}
