import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHttp } from "../../../embedded/http/server.ts";
import { startTestServer, type TestServer, waitFor } from "./support.ts";

const CLIENT_TIMEOUT_MS = 2_000;
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ clientTimeoutMs: CLIENT_TIMEOUT_MS, maxSessions: 2 });
});
afterAll(() => server.stop());

const spoolFiles = (): string[] =>
  readdirSync(server.directory)
    .filter((name) => name.startsWith("event-pipeline-http-"))
    .flatMap((name) => readdirSync(join(server.directory, name)));

it("keeps no file of a client that leaves while its whole result is buffered", async () => {
  const client = new AbortController();
  const url = `${server.http.url}/?wait_end_of_query=1`;
  const body = "SELECT number FROM system.numbers";
  const answer = fetch(url, { method: "POST", body, signal: client.signal });
  await waitFor(() => spoolFiles().length > 0);
  client.abort();
  await expect(answer).rejects.toThrow("abort");
  await waitFor(() => spoolFiles().length === 0);
});

it("removes only the folders of crashed servers", async () => {
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "exit");
  const alive = `event-pipeline-http-${process.ppid}-abc`;
  const crashed = `event-pipeline-http-${ended.pid}-abc`;
  // The first process of every container has the same number.
  const previous = `event-pipeline-http-${process.pid}-previous`;
  for (const name of [alive, crashed, previous, "other"]) mkdirSync(join(server.directory, name));
  const before = readdirSync(server.directory);
  const http = await startHttp(server.engine, { port: 0, temporaryDirectory: server.directory });
  await http.close();
  const gone = before.filter((name) => !existsSync(join(server.directory, name)));
  expect(gone.sort()).toEqual([crashed, previous].sort());
});

it.each([
  ["headers", "POST / HTTP/1.1\r\nHost: localhost\r\n"],
  ["body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nSELECT"],
  [
    "rows",
    "POST /?query=INSERT+INTO+FUNCTION+null('a+Int8')+FORMAT+TSV HTTP/1.1\r\nHost: localhost\r\n" +
      "Content-Length: 100\r\n\r\n1\n",
  ],
])("ends a connection whose %s stop halfway", async (_, half) => {
  const socket = connect(server.http.port, "127.0.0.1").resume();
  socket.on("error", () => undefined);
  socket.write(half);
  await once(socket, "close");
  await waitFor(() => spoolFiles().length === 0);
});

it("waits for a slow body", async () => {
  const pieces = ["SEL", "ECT", " 1"];
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, CLIENT_TIMEOUT_MS * 0.35));
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(Buffer.from(piece));
    },
  });
  const answer = await fetch(server.http.url, { method: "POST", body, duplex: "half" });
  expect(await answer.text()).toBe("1\n");
});

it("limits the number of sessions", async () => {
  const ask = (session_id: string, more = {}) =>
    server.ask("SELECT 1", { url: { session_id, ...more } });
  for (const id of ["one", "two", "one"]) expect((await ask(id)).text).toBe("1\n");
  expect((await ask("three")).text).toContain("Code: 700.");
  expect((await ask("two", { close_session: "1" })).text).toBe("1\n");
  expect((await ask("three")).text).toBe("1\n");
});
