import type { IncomingMessage, ServerResponse } from "node:http";
import { UserError } from "../../contract/errors.ts";
import { BrokerError } from "../../kafka/errors.ts";
import { type Answer, type ControlledService, control, isAuthorised } from "./control.ts";
import { type HttpEndpoint, listen } from "./listen.ts";
import { Conflict, type Health } from "./state.ts";

const MAX_BODY_BYTES = 16 * 1024;
const REPORT = "run make generator-logs to see the error, then make generator-restart";

const FORMS = "GET /metrics, /healthz, /status; POST /control with JSON";

const refusal = (status: number, error: string, hint: string): Answer => ({
  status,
  body: { error, hint },
});

interface HttpOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  readonly service: ControlledService;
  readonly metrics: () => Promise<string>;
  readonly metricsType: string;
  readonly status: () => object;
  readonly health: () => Health;
  /** Called for an error that is not a UserError with a hint. */
  readonly onUnforeseen: (error: unknown) => void;
}

/** Starts the HTTP endpoint. @throws UserError if the port is not available */
export async function serveHttp(options: HttpOptions): Promise<HttpEndpoint> {
  const { host, port } = options;
  return listen({ host, port, variable: "GENERATOR_HTTP_PORT" }, (request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.onUnforeseen(error);
      sendJson(response, refusal(500, String(error), REPORT));
    });
  });
}

async function answer(
  options: HttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? "/").split("?", 1)[0];
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (path === "/control") return sendJson(response, await answerControl(options, request));
  if (!isRead) return sendJson(response, refusal(405, `${path} allows only GET`, FORMS));
  if (path === "/metrics") {
    const metrics = await options.metrics();
    response.writeHead(200, { "content-type": options.metricsType });
    response.end(metrics);
  } else if (path === "/healthz") {
    const health = options.health();
    sendJson(response, { status: health.ok ? 200 : 503, body: health });
  } else if (path === "/status") {
    sendJson(response, { status: 200, body: options.status() });
  } else {
    sendJson(response, refusal(404, `Unknown path: ${path}`, FORMS));
  }
}

async function answerControl(options: HttpOptions, request: IncomingMessage): Promise<Answer> {
  const { token, service } = options;
  if (request.method !== "POST") return refusal(405, "/control allows only POST", FORMS);
  if (token === null) {
    const next = "set CONTROL_TOKEN or CONTROL_TOKEN_FILE and restart";
    return refusal(403, "/control is disabled: no token is set", next);
  }
  if (!isAuthorised(request.headers.authorization, token)) {
    return refusal(
      401,
      "The token is missing or wrong",
      "send the header Authorization: Bearer <CONTROL_TOKEN>",
    );
  }
  const body = await readBody(request);
  if (body === null) {
    return refusal(413, `The body is too long. Allowed: ${MAX_BODY_BYTES} bytes`, FORMS);
  }
  try {
    return await control(service, body);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return refusal(statusOf(error), error.message, error.hint ?? REPORT);
  }
}

function statusOf(error: UserError): number {
  if (error instanceof Conflict) return 409;
  return error instanceof BrokerError ? 503 : 422;
}

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
