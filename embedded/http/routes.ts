import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { exceptionText } from "./errors.ts";
import type { HttpContext } from "./exchange.ts";
import { crossSiteError, hostError } from "./guard.ts";
import type { Metrics } from "./metrics.ts";
import { notFoundText } from "./not-found.ts";
import { handleQuery } from "./query.ts";

const TEXT = "text/plain; charset=UTF-8";

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export function routes(context: HttpContext, metrics: Metrics): RequestListener {
  const queries = (request: IncomingMessage, response: ServerResponse, url: URL): void => {
    const asks = request.method === "POST" || url.search !== "";
    if (asks) void handleQuery(context, request, response, url.searchParams);
    else ok(request, response, url);
  };
  return router(context, {
    "/": queries,
    "/ping": ok,
    "/replicas_status": ownSiteOnly(context, ok),
    "/metrics": metricsOf(context, metrics),
  });
}

export const metricsRoutes = (context: HttpContext, metrics: Metrics): RequestListener =>
  router(context, { "/metrics": metricsOf(context, metrics) });

const metricsOf = (context: HttpContext, metrics: Metrics): Handler =>
  ownSiteOnly(context, (request, response) => void metrics.send(request, response));

/** Wraps a handler to refuse other sites; queries check this in their response format. */
const ownSiteOnly =
  ({ version }: HttpContext, handler: Handler): Handler =>
  (request, response, url) => {
    const refused = crossSiteError(request, url.pathname);
    if (refused) send(response, 403, `${exceptionText(refused, version)}\n`);
    else handler(request, response, url);
  };

function router(
  context: HttpContext,
  handlers: Readonly<Record<string, Handler>>,
): RequestListener {
  return (request, response) => {
    const refused = hostError(request, context.access.password);
    if (refused) return send(response, 403, `${exceptionText(refused, context.version)}\n`);
    const url = parseUrl(request.url ?? "/");
    if (url === undefined)
      return send(response, 400, "The address of the request is not a valid URL.\n");
    const handler = handlers[url.pathname];
    if (!handler) return send(response, 404, notFoundText(request.url ?? "/"));
    const allowed = url.pathname === "/" ? ["GET", "HEAD", "POST"] : ["GET", "HEAD"];
    if (request.method === "OPTIONS") {
      response.writeHead(204, { Allow: [...allowed, "OPTIONS"].join(", ") }).end();
    } else if (!allowed.includes(request.method ?? "")) {
      response.setHeader("Allow", [...allowed, "OPTIONS"].join(", "));
      send(response, 405, `Method ${request.method} is not supported for ${url.pathname}\n`);
    } else {
      handler(request, response, url);
    }
  };
}

function parseUrl(text: string): URL | undefined {
  const base = "http://localhost";
  // Without `base`, an address such as `//x` would refer to another host.
  return URL.canParse(base + text) ? new URL(base + text) : undefined;
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": TEXT, "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}

const ok: Handler = (_request, response) => {
  response.writeHead(200, { "Content-Type": "text/html; charset=UTF-8", "Content-Length": 4 });
  response.end("Ok.\n");
};
