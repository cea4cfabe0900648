import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sleeping, startTestServer, type TestServer, waitFor } from "./support.ts";

describe("concurrent queries", () => {
  let server: TestServer;
  const ask: TestServer["ask"] = (...parameters) => server.ask(...parameters);
  const running = () =>
    server.engine.rows("SELECT 1 FROM system.processes WHERE query LIKE 'SELECT sleep%'");

  beforeAll(async () => {
    server = await startTestServer({ concurrency: 1, queueTimeoutMs: 400 });
  });
  afterAll(() => server.stop());

  it("queue without blocking health checks, metrics or KILL QUERY", async () => {
    const long = ask(sleeping(30), { url: { query_id: "long" } });
    await waitFor(async () => (await running()).length === 1);
    expect((await fetch(`${server.http.url}/ping`)).status).toBe(200);
    await waitFor(async () => (await fetch(`${server.http.url}/metrics`)).ok);
    const queued = await ask("SELECT 1");
    expect([queued.status, queued.text]).toEqual([500, expect.stringContaining("Code: 202.")]);
    const short = await ask("SELECT 1", { url: { max_execution_time: "0.05" } });
    expect(short.text).toContain("waited 0 s");
    const same = await ask("SELECT 1", { url: { query_id: "long" } });
    expect([same.status, same.text]).toEqual([500, expect.stringContaining("Code: 216.")]);
    const killed = await ask("KILL QUERY WHERE query_id = 'long' ASYNC FORMAT TSV");
    expect(killed.text).toMatch(/^waiting\t/);
    expect((await long).text).toContain("Code: 394.");
    expect((await ask("SELECT 1")).text).toBe("1\n");
  });
});

it("keep requests of many clients apart", async () => {
  const server = await startTestServer({ concurrency: 3 });
  await server.ask("CREATE TABLE many (client UInt8, n UInt32) ENGINE = MergeTree ORDER BY n");
  const client = async (id: number): Promise<void> => {
    for (let n = 0; n < 12; n += 1) {
      const url = { param_p: `${id}-${n}`, max_threads: String(1 + (n % 4)) };
      const sql = "SELECT {p:String}, getSetting('max_threads'), count() FROM numbers(1000)";
      const { text } = await server.ask(sql, { url });
      expect(text).toBe(`${id}-${n}\t${url.max_threads}\t1000\n`);
      await server.ask(`INSERT INTO many FORMAT TSV\n${id}\t${n}\n`);
    }
  };
  const own = async (): Promise<void> => {
    for (let n = 0; n < 30; n += 1) {
      expect(await server.engine.rows("SELECT {n:UInt32} AS n", { n })).toEqual([{ n }]);
    }
  };
  await Promise.all([own(), ...Array.from({ length: 6 }, (_, id) => client(id))]);
  const { text } = await server.ask("SELECT count(), uniqExact(client, n) FROM many");
  expect(text).toBe("72\t72\n");
  await server.stop();
});

it("replace a taken port only if none was requested", async () => {
  const { createServer } = await import("node:http");
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const server = await startTestServer();
  const { startHttp } = await import("../../../embedded/http/server.ts");
  const inUse = { message: `Port ${port} on 127.0.0.1 is in use by another program` };
  await expect(startHttp(server.engine, { port })).rejects.toMatchObject(inUse);
  await expect(startHttp(server.engine, { port: 0, metricsPort: port })).rejects.toMatchObject(
    inUse,
  );
  await expect(startHttp(server.engine, { port: 0, host: "0.0.0.0" })).rejects.toThrow(
    "without a password",
  );
  const first = await startHttp(server.engine);
  const second = await startHttp(server.engine);
  expect(first.port).not.toBe(second.port);
  expect(await (await fetch(`${second.url}/ping`)).text()).toBe("Ok.\n");
  await Promise.all([first.close(), second.close(), server.stop()]);
  taken.close();
});
