import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import rateLimit from "@fastify/rate-limit";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Journal, JournalFull, type Row } from "./journal.ts";
import { addMicro, type Outcomes } from "./micro.ts";
import { PROTOCOLS, SETTINGS } from "./protocols/all.ts";
import { type Arrival, BadHit, type Hit, type Protocol, textOf } from "./protocols/protocol.ts";
import { type AddressKept, type DailyVisitors, keptAddress } from "./visitor.ts";

/** Largest body, also after decompression, bytes. */
const LARGEST_BODY = 1024 * 1024;
/** Most text of the events of a body: what a batch has once, such as a context, is in each of them. */
const LARGEST_EVENTS = 4 * LARGEST_BODY;
/** Texts of a bad request are kept up to this length. */
const KEPT_BODY = 64 * 1024;
const RETRY_SECONDS = 10;
/** Window of the rate limit; a page that is opened sends several hits at once. */
const RATE_SECONDS = 10;
/** Addresses whose rate is known, which bounds the memory; the one seen longest ago is forgotten first. */
const RATE_ADDRESSES = 10_000;

export interface CollectorOptions {
  readonly journal: Journal;
  readonly visitors: DailyVisitors;
  readonly outcomes: Outcomes;
  /** Origins whose pages may send, such as https://shop.example; pages of this machine always may. */
  readonly origins: readonly string[];
  /** Sites whose hits are taken; empty for every site. */
  readonly sites: readonly string[];
  readonly address: AddressKept;
  /** Most requests per second of one address, over ten seconds. */
  readonly rate: number;
  /** Address of a proxy whose X-Forwarded-For names the visitor's address. */
  readonly proxy?: string;
  /** True if only this machine reaches the port, but with another address, as that of a container. */
  readonly publishedLocally?: boolean;
}

/** Answers the requests of trackers as soon as their hits are in the journal. */
export async function createCollector(options: CollectorOptions): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: LARGEST_BODY,
    forceCloseConnections: true,
    trustProxy: options.proxy ?? false,
  });
  // A body is parsed by its path: trackers send JSON as text or as a form, which needs no preflight.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  app.addHook("onRequest", async (request, reply) => {
    if (READS.test(request.routeOptions.url ?? "")) await requireOwn(request, reply, options);
    else await allowOrigin(request, reply, options.origins);
  });
  await limitRate(app, options.rate);
  app.options("/*", async (_, reply) => reply.code(204).send());
  addPages(app);
  addMicro(app, options.outcomes);
  app.setNotFoundHandler((request, reply) => receive(request, reply, options));
  return app;
}

async function limitRate(app: FastifyInstance, rate: number): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    max: rate * RATE_SECONDS,
    timeWindow: RATE_SECONDS * 1000,
    cache: RATE_ADDRESSES,
    errorResponseBuilder: () => ({
      statusCode: 429,
      error: `more than ${rate} requests per second came from this address`,
      hint: "start the collector with a larger --rate",
    }),
  });
  // Hits arrive at the handler of unknown paths, which the plugin does not limit itself.
  app.addHook("onRequest", app.rateLimit());
}

/** Routes with data of visitors; a URL has several spellings of a route. */
const READS = /^\/(micro\/|hits$|$)/;
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const OWN_ADDRESS = /^(127\.|::1$|::ffff:127\.)/;

/** Shows data only on this machine, and not to a page of another site that has a name for it. */
async function requireOwn(
  request: FastifyRequest,
  reply: FastifyReply,
  { publishedLocally }: CollectorOptions,
): Promise<void> {
  const isNear = publishedLocally || OWN_ADDRESS.test(request.ip);
  const isOwn = isNear && OWN_HOST.test(request.headers.host ?? "");
  if (isOwn) return allowOrigin(request, reply, []);
  await reply.code(403).send({ error: "only a program on this machine may read hits" });
}

const OWN_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Allows pages of the named origins to read answers, and refuses those of others. */
async function allowOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): Promise<void> {
  const { origin } = request.headers;
  if (origin === undefined) return;
  if (!OWN_ORIGIN.test(origin) && !origins.includes(origin)) {
    await reply.code(403).send({
      error: `pages of ${origin} may not send. Allowed: ${["this machine", ...origins].join(", ")}`,
      hint:
        origin === "null"
          ? "a page that is a file has no origin: serve it, for example with python3 -m http.server"
          : `start the collector with --origin ${origin}`,
    });
    return;
  }
  reply.headers({
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers":
      request.headers["access-control-request-headers"] ?? "Content-Type",
    "Access-Control-Max-Age": "600",
    Vary: "Origin",
  });
}

async function receive(
  request: FastifyRequest,
  reply: FastifyReply,
  options: CollectorOptions,
): Promise<FastifyReply> {
  const [path, ...queries] = request.url.split("?");
  const query = new URLSearchParams(queries.join("?"));
  const target = `${request.method} ${path}`;
  if (SETTINGS.test(target)) return reply.send({});
  const protocol = PROTOCOLS.find(({ matches }) => matches.test(target));
  if (protocol === undefined) return reply.code(404).send({ error: `nothing is at ${target}` });
  const rows = await rowsOf(protocol, request, { path: path ?? "", query }, options);
  try {
    await options.journal.append(rows);
  } catch (error) {
    if (!(error instanceof JournalFull)) request.log.error(error);
    return reply
      .code(503)
      .header("Retry-After", RETRY_SECONDS)
      .send({ error: "the collector has no room for more hits until it has delivered some" });
  }
  return request.method === "GET" ? reply.type("image/gif").send(PIXEL) : reply.send({});
}

async function rowsOf(
  protocol: Protocol,
  request: FastifyRequest,
  target: Pick<Arrival, "path" | "query">,
  { visitors, address: kept, sites }: CollectorOptions,
): Promise<Row[]> {
  const received = Date.now();
  const row = (reason: string, body: string): Row => {
    return { protocol: protocol.name, received, reason, body };
  };
  const agent = request.headers["user-agent"] ?? "";
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  let body = bytes.toString();
  try {
    body = await unpackedText(bytes);
    const arrival: Arrival = {
      ...target,
      body,
      at: received,
      addressOf: (named = request.ip) => keptAddress(textOf(named), kept),
      agent,
      language: /^[\w-]+/.exec(request.headers["accept-language"] ?? "")?.[0] ?? "",
      visitorOf: (site) => visitors.visitorOf(received, site, request.ip, agent),
    };
    const rows: Row[] = [];
    let size = 0;
    for (const hit of protocol.hitsOf(arrival)) {
      const json = jsonOf(hit);
      size += json.length;
      if (size > LARGEST_EVENTS) throw new BadHit("its events are larger than 4 MB");
      const isKnown = sites.length === 0 || sites.includes(textOf(protocol.siteOf(hit)));
      rows.push(row(isKnown ? "" : "its site is not allowed (--site)", json));
    }
    return rows;
  } catch (error) {
    const { message } = error as Error;
    const reason = error instanceof BadHit ? message : `the collector cannot read it: ${message}`;
    const text = body === "" ? target.query.toString() : body;
    return [row(reason, text.slice(0, KEPT_BODY))];
  }
}

/** Returns JSON in which half a character, such as of a title that was cut, is U+FFFD: ClickHouse reads no half. */
function jsonOf(hit: Hit): string {
  const json = JSON.stringify(hit);
  if (!json.includes("\\ud")) return json;
  return JSON.stringify(hit, (_, value) =>
    typeof value === "string" ? value.toWellFormed() : value,
  );
}

const unpack = promisify(gunzip);

/** Returns the text of a body, which gzip may compress whatever the headers say. @throws BadHit */
async function unpackedText(body: Buffer): Promise<string> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body.toString();
  try {
    return (await unpack(body, { maxOutputLength: LARGEST_BODY })).toString();
  } catch (error) {
    throw new BadHit(`the body cannot be decompressed: ${(error as Error).message}`);
  }
}

/** A transparent picture of one pixel. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

/** Returns a program or a page without the lines of comments and the indentation. */
const smaller = (text: string): string => text.replaceAll(/^\s*(\/\/.*\n)?/gm, "");

const PAGES = join(import.meta.dirname, "pages");
const SHOP = ["/home", "/product_a", "/product_b", "/cart", "/payment", "/confirmation"];

function addPages(app: FastifyInstance): void {
  const serve = (path: string, file: string, type: string): void => {
    const text = smaller(readFileSync(join(PAGES, file), "utf8"));
    app.get(path, async (_, reply) => reply.type(type).send(text));
  };
  serve("/", "hits.html", "text/html; charset=utf-8");
  serve("/snippet.js", "snippet.js", "text/javascript; charset=utf-8");
  for (const path of SHOP) serve(path, "shop.html", "text/html; charset=utf-8");
}
