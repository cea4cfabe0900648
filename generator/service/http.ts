import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { UserError } from "../../contract/errors.ts";
import { type Answer, control, isAuthorised } from "./control.ts";
import type { Health } from "./health.ts";
import { Conflict, type GeneratorService } from "./service.ts";

const MAX_BODY_BYTES = 16 * 1024;

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  readonly service: GeneratorService;
  readonly metrics: () => Promise<string>;
  readonly metricsType: string;
  readonly status: () => object;
  readonly health: () => Health;
}

export interface HttpEndpoint {
  readonly port: number;
  close(): Promise<void>;
}

/** @throws UserError when the port cannot be had */
export async function serveHttp(options: HttpOptions): Promise<HttpEndpoint> {
  const { host, port } = options;
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) =>
      sendJson(response, { status: 500, body: { error: String(error) } }),
    );
  });
  await listen(server, host, port);
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    close: () => close(server),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const where = `${host}:${port}`;
      reject(
        new UserError(
          `HTTP cannot listen on ${where}: ${error.message}`,
          "GENERATOR_HTTP_PORT chooses another port; 0 takes any",
        ),
      );
    });
    server.listen(port, host, () => resolve());
  });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function answer(
  options: HttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? "/").split("?", 1)[0];
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (path === "/control") return sendJson(response, await answerControl(options, request));
  if (!isRead) return sendJson(response, { status: 405, body: { error: "Only GET is allowed" } });
  if (path === "/metrics") {
    response.writeHead(200, { "content-type": options.metricsType });
    response.end(await options.metrics());
  } else if (path === "/healthz") {
    const health = options.health();
    sendJson(response, { status: health.ok ? 200 : 503, body: health });
  } else if (path === "/status") {
    sendJson(response, { status: 200, body: options.status() });
  } else {
    const next = "GET /metrics, /healthz, /status; POST /control";
    sendJson(response, { status: 404, body: { error: `There is no ${path}`, next } });
  }
}

async function answerControl(options: HttpOptions, request: IncomingMessage): Promise<Answer> {
  const { token, service } = options;
  if (request.method !== "POST") return { status: 405, body: { error: "Only POST is allowed" } };
  if (token === null) {
    const next = "Set CONTROL_TOKEN or CONTROL_TOKEN_FILE and restart";
    return { status: 403, body: { error: "There is no control without a token", next } };
  }
  if (!isAuthorised(request.headers.authorization, token)) {
    const next = "Authorization: Bearer <CONTROL_TOKEN>";
    return { status: 401, body: { error: "The token is missing or wrong", next } };
  }
  const body = await readBody(request);
  if (body === null) return { status: 413, body: { error: "The body is too long" } };
  try {
    return await control(service, body);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const status = error instanceof Conflict ? 409 : 422;
    return { status, body: { error: error.message, next: error.next } };
  }
}

/** Null when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function sendJson(response: ServerResponse, { status, body }: Answer): void {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (status === 401) headers["www-authenticate"] = "Bearer";
  response.writeHead(status, headers);
  response.end(`${JSON.stringify(body)}\n`);
}
