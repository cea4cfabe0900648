import type { Session } from "chdb";
import { expect, it } from "vitest";
import type { EmbeddedEngine } from "../../../embedded/engine.ts";
import { runKill } from "../../../embedded/http/kill.ts";
import { isQueryOf, Processes } from "../../../embedded/http/processes.ts";

const never = new AbortController().signal;
const TOKEN = "http:of-a-session";

/** Queries that a KILL sends to the engine; `meanwhile` runs after it has chosen a statement. */
async function killed(meanwhile: (processes: Processes) => void): Promise<string> {
  const asked: string[] = [];
  const session = {
    query: (sql: string) => asked.push(sql),
    queryAsync: async (sql: string) => {
      const chooses = sql.startsWith("SELECT query_id");
      if (!chooses) meanwhile(processes);
      const text = chooses ? `["engine-id","${TOKEN}"]\n` : "waiting\tengine-id\n";
      return { text: () => text, bytes: () => Buffer.from(text) };
    },
    close: () => undefined,
  } as unknown as Session;
  const processes = new Processes({ connect: () => session } as unknown as EmbeddedEngine);
  const first = processes.begin("first", TOKEN, true);
  ends.set(processes, first.end);
  await runKill(processes, "KILL QUERY WHERE query LIKE 'x' ASYNC", "TSV", never);
  return asked.join("\n");
}

const ends = new WeakMap<Processes, () => void>();

it("KILL stops the chosen statement", async () => {
  expect(await killed(() => undefined)).toContain(isQueryOf(TOKEN));
});

it("KILL spares a later statement of the same session", async () => {
  const asked = await killed((processes) => {
    ends.get(processes)?.();
    processes.begin("second", TOKEN, true);
  });
  expect(asked).toContain("engine-id");
  expect(asked).not.toContain(isQueryOf(TOKEN));
});
