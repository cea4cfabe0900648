import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Admission } from "../../../embedded/http/admission.ts";
import { defaultConcurrency } from "../../../embedded/http/options.ts";
import { sleeping, startTestServer, type TestServer, waitFor } from "./support.ts";

const never = new AbortController().signal;

describe("Admission", () => {
  it("admits its limit, then the others in order", async () => {
    const admission = new Admission(1);
    const leave = await admission.enter(never, 1000);
    const order: number[] = [];
    const others = [1, 2, 3].map(async (n) => {
      const done = await admission.enter(never, 1000);
      order.push(n);
      done();
    });
    leave();
    leave();
    await Promise.all(others);
    expect(order).toEqual([1, 2, 3]);
  });

  it("rejects requests that waited too long, were aborted, or came after the close", async () => {
    const admission = new Admission(1);
    const leave = await admission.enter(never, 1000);
    await expect(admission.enter(never, 10)).rejects.toThrow(/Too many simultaneous.*Maximum: 1/);
    const client = new AbortController();
    const waiting = admission.enter(client.signal, 1000);
    client.abort();
    await expect(waiting).rejects.toThrow("closed the connection");
    const last = admission.enter(never, 1000);
    admission.close();
    await expect(last).rejects.toThrow("shutting down");
    leave();
    await expect(admission.enter(never, 1000)).rejects.toThrow("shutting down");
  });
});

it("leaves worker threads for files and the program itself", () => {
  expect(defaultConcurrency(1)).toBe(1);
  expect(defaultConcurrency(4)).toBe(2);
});

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

  it("leave the queue if their client leaves", async () => {
    const long = ask(sleeping(30), { url: { query_id: "first" } });
    await waitFor(async () => (await running()).length === 1);
    const client = new AbortController();
    const dropped = fetch(server.http.url, {
      method: "POST",
      body: "CREATE TABLE dropped (a Int8) ENGINE = Memory",
      signal: client.signal,
    });
    setTimeout(() => client.abort(), 100);
    await expect(dropped).rejects.toThrow("abort");
    await ask("KILL QUERY WHERE query_id = 'first' SYNC");
    await long;
    expect((await ask("EXISTS TABLE dropped")).text).toBe("0\n");
  });

  it("lock their session", async () => {
    const url = { session_id: "s" };
    const long = ask(sleeping(30), { url: { ...url, query_id: "busy" } });
    await waitFor(async () => (await running()).length === 1);
    const second = await ask("SELECT 1", { url });
    expect([second.status, second.text]).toEqual([500, expect.stringContaining("Code: 373.")]);
    await ask("KILL QUERY WHERE query_id = 'busy'");
    await long;
    expect((await ask("SELECT 1", { url: { ...url, close_session: "1" } })).text).toBe("1\n");
    const gone = await ask("SELECT 1", { url: { ...url, session_check: "1" } });
    expect(gone.text).toContain("Code: 372.");
  });

  it("end if the client of a session leaves during the result", async () => {
    const client = new AbortController();
    const answer = await fetch(`${server.http.url}/?session_id=left`, {
      method: "POST",
      body: "SELECT number AS of_a_session FROM system.numbers",
      signal: client.signal,
    });
    await answer.body?.getReader().read();
    client.abort();
    const like = "query LIKE 'SELECT number AS of_a_session%'";
    const rows = () => server.engine.rows(`SELECT 1 FROM system.processes WHERE ${like}`);
    await waitFor(async () => (await rows()).length === 0);
  });

  it("end when the interface closes", async () => {
    const other = await startOnSame(server);
    const long = fetch(other.url, { method: "POST", body: sleeping(30) }).then((r) => r.text());
    await waitFor(async () => (await running()).length === 1);
    await other.close();
    expect(await long).toContain("Code: 394.");
  });
});

async function startOnSame(server: TestServer) {
  const { startHttp } = await import("../../../embedded/http/server.ts");
  return startHttp(server.engine, { port: 0, temporaryDirectory: server.directory });
}

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
