import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startHttp } from "../../../embedded/http/server.ts";
import { startTestServer, type TestServer, waitFor } from "./support.ts";

/** Accepts connections and never answers: the engine waits, and KILL has no effect. */
describe("statements that wait for a silent network", () => {
  const sockets: Socket[] = [];
  let silent: Server;
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ concurrency: 3 });
    silent = createServer((socket) => {
      sockets.push(socket.on("error", () => undefined));
      if (broken) socket.destroy();
    });
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
  });
  /** Includes the engine's retries. */
  let broken = false;
  const breakOff = (): void => {
    broken = true;
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  beforeEach(() => {
    broken = false;
  });
  afterEach(async () => {
    breakOff();
    const sql =
      "SELECT 1 FROM system.processes WHERE query LIKE '%FROM url(%' AND query NOT LIKE '%system.%'";
    await waitFor(async () => (await server.engine.rows(sql)).length === 0);
  });
  afterAll(async () => {
    silent.close();
    await server.stop();
  });

  const waiting = (queryId: string, into = "") => {
    const { port } = silent.address() as AddressInfo;
    const sql = `${into}SELECT * FROM url('http://127.0.0.1:${port}/', CSV, 'a String')`;
    const patient = { http_max_tries: "1", http_receive_timeout: "300" };
    return server.ask(sql, { url: { query_id: queryId, session_id: queryId, ...patient } });
  };

  it("end for their clients when killed, and free their slots", async () => {
    const both = [waiting("one"), waiting("two")];
    await waitFor(() => sockets.length >= 2);
    await server.ask("KILL QUERY WHERE query_id IN ('one', 'two')");
    for (const answer of both) expect((await answer).text).toContain("Code: 394.");
    expect((await server.ask("SELECT 1")).text).toBe("1\n");
    expect((await server.ask("SELECT 2", { url: { session_id: "one" } })).text).toBe("2\n");
    const open = await server.ask("SELECT count() FROM system.processes WHERE query LIKE '%url(%'");
    expect(Number(open.text)).toBeGreaterThan(2);
  });

  it("end KILL … SYNC when their clients have their responses", async () => {
    const before = sockets.length;
    const answer = waiting("three");
    await waitFor(() => sockets.length > before);
    await server.ask("KILL QUERY WHERE query_id = 'three' SYNC");
    const sql = `SELECT count() FROM system.processes WHERE query LIKE 'SELECT * FROM url(%'`;
    expect(Number((await server.ask(sql)).text)).toBeGreaterThan(0);
    expect((await answer).text).toContain("Code: 394.");
  });

  it("keep their clients while they may still write", async () => {
    await server.ask("CREATE TABLE written (a String) ENGINE = Memory");
    const before = sockets.length;
    let answered = false;
    const writes = waiting("writes", "INSERT INTO written ").finally(() => {
      answered = true;
    });
    await waitFor(() => sockets.length > before);
    const reads = waiting("reads");
    await waitFor(() => sockets.length > before + 1);
    await server.ask("KILL QUERY WHERE query_id IN ('writes', 'reads')");
    expect((await reads).text).toContain("Code: 394.");
    expect(answered).toBe(false);
    breakOff();
    expect((await writes).status).not.toBe(200);
  });

  it("leave a slot to those that read no external source", async () => {
    const answers = ["first", "second", "third"].map((id) => waiting(id));
    await waitFor(() => sockets.length >= 2);
    const inside = await server.ask("SELECT 1", { url: { max_execution_time: "5" } });
    expect(inside.text).toBe("1\n");
    breakOff();
    await Promise.all(answers);
  });

  it.each([
    ["url", "CSV, 'a String'", 2],
    ["s3", "NOSIGN, CSV, 'a String'", 3],
  ])(
    "of %s end by the server's own time-outs and free the only slot",
    async (name, more, tries) => {
      const options = { port: 0, concurrency: 1, queueTimeoutMs: 300_000 };
      const single = await startHttp(server.engine, {
        ...options,
        temporaryDirectory: server.directory,
      });
      const ask = async (body: string) =>
        (await fetch(single.url, { method: "POST", body })).text();
      const before = sockets.length;
      const { port } = silent.address() as AddressInfo;
      const waits = ask(`SELECT * FROM ${name}('http://127.0.0.1:${port}/bucket/a.csv', ${more})`);
      await waitFor(() => sockets.length > before);
      expect(await ask("SELECT 1")).toBe("1\n");
      expect(await waits).toMatch(/Timeout/);
      expect(sockets.length).toBe(before + tries);
      await single.close();
    },
  );
});
