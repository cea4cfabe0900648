import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Stand, startStand, until } from "./support.ts";

/** Takes connections and never answers: the engine waits, and KILL does not reach it. */
describe("statements that wait for a silent network", () => {
  const sockets: Socket[] = [];
  let silent: Server;
  let stand: Stand;

  beforeAll(async () => {
    stand = await startStand({ concurrency: 2 });
    silent = createServer((socket) => sockets.push(socket.on("error", () => undefined)));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
  });
  afterAll(async () => {
    silent.close();
    for (const socket of sockets) socket.destroy();
    await stand.stop();
  });

  const waiting = (queryId: string) => {
    const { port } = silent.address() as AddressInfo;
    const sql = `SELECT * FROM url('http://127.0.0.1:${port}/', CSV, 'a String')`;
    return stand.ask(sql, { url: { query_id: queryId, http_max_tries: "1", session_id: queryId } });
  };

  it("end for their clients when killed, and give their places back", async () => {
    const both = [waiting("one"), waiting("two")];
    await until(() => sockets.length >= 2);
    await stand.ask("KILL QUERY WHERE query_id IN ('one', 'two')");
    for (const answer of both) expect((await answer).text).toContain("Code: 394.");
    expect((await stand.ask("SELECT 1")).text).toBe("1\n");
    expect((await stand.ask("SELECT 2", { url: { session_id: "one" } })).text).toBe("2\n");
    const open = await stand.ask("SELECT count() FROM system.processes WHERE query LIKE '%url(%'");
    expect(Number(open.text)).toBeGreaterThan(2);
  });
});
