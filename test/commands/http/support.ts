import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedEngine } from "../../../embedded/engine.ts";
import { type HttpInterface, type HttpOptions, startHttp } from "../../../embedded/http/server.ts";

/** An engine on a fresh directory behind the HTTP interface on any free port. */
export interface TestServer {
  readonly engine: EmbeddedEngine;
  readonly http: HttpInterface;
  readonly directory: string;
  /** Sends a statement by POST. */
  ask(sql: string | Uint8Array<ArrayBuffer>, options?: AskOptions): Promise<Answer>;
  stop(): Promise<void>;
}

interface AskOptions {
  readonly url?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export async function startTestServer(options: HttpOptions = {}): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), "http-test-"));
  const engine = new EmbeddedEngine(join(directory, "data"));
  const http = await startHttp(engine, { port: 0, temporaryDirectory: directory, ...options });
  const ask: TestServer["ask"] = async (sql, { url = {}, headers = {}, method = "POST" } = {}) => {
    const answer = await fetch(`${http.url}/?${new URLSearchParams(url)}`, {
      method,
      headers,
      ...(method === "POST" ? { body: sql } : {}),
    });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const stop = async (): Promise<void> => {
    await http.close();
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { engine, http, directory, ask, stop };
}

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** False if the connection broke before the end of the body. */
  readonly complete: boolean;
}

/** Sends bytes to a path unchanged, and receives the raw response. */
export const askRaw = (
  server: TestServer,
  path: string,
  body: string | Buffer = "",
  headers: Record<string, string> = {},
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(server.http.url + path, { method: "POST", headers }, (response) => {
      const { statusCode: status = 0, headers } = response;
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part)).on("error", () => undefined);
      response.on("close", () =>
        resolve({ status, headers, body: Buffer.concat(parts), complete: response.complete }),
      );
    });
    request.on("error", reject).end(body);
  });

/** A query that runs for `seconds` unless it is stopped. */
export const sleeping = (seconds: number): string =>
  `SELECT sleepEachRow(0.05) FROM numbers(${seconds * 20}) SETTINGS max_block_size = 1, ` +
  "function_sleep_max_microseconds_per_block = 0";

const WITHIN_MS = 300_000;

/** Polls until the condition is true. */
export async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`The condition was not met within ${WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
