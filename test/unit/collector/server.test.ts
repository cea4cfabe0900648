import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, InjectOptions } from "fastify";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Journal } from "../../../collector/journal.ts";
import type { Outcomes } from "../../../collector/micro.ts";
import { plausible } from "../../../collector/protocols/plausible.ts";
import { type CollectorOptions, createCollector } from "../../../collector/server.ts";
import { DailyVisitors } from "../../../collector/visitor.ts";
import { folderOfTest } from "../../support/use-folder.ts";

const DESCRIBED = `{"data": {"schema": "iglu:shop/size_chosen/jsonschema/1-0-0", "data": {"schema": "x"}}}`;
const CONTEXTS = `{"data": [{"schema": "iglu:shop/page/jsonschema/1-0-0", "data": {}}, null]}`;

const OUTCOME = [
  ["snowplow", { e: "ue", ue_pr: DESCRIBED, co: CONTEXTS }],
  ["snowplow", { e: "pv" }],
  ["page", { e: "pv" }],
].map(([protocol, body], number) => ({
  ...{ number, protocol: String(protocol), received: "", is_bad: false, reason: "" },
  ...{ body: JSON.stringify(body), event: '{"event_type":"pageview"}', location: "{}" },
}));

const OUTCOMES: Outcomes = {
  totals: async () => ({ total: 2, good: 1, bad: 1 }),
  latest: async (kind) => (kind === "good" ? OUTCOME : []),
  shown: async () => [],
  reset: async () => undefined,
};

let dir: string;
let journal: Journal;
let app: FastifyInstance;
beforeEach(() => start());
afterEach(end);

async function end(): Promise<void> {
  await app.close();
  await journal.close();
}

async function restart(options: { maxBytes?: number } & Partial<CollectorOptions>): Promise<void> {
  await end();
  await start(options);
}

async function start({
  maxBytes = 1_000_000,
  ...more
}: { maxBytes?: number } & Partial<CollectorOptions> = {}): Promise<void> {
  dir = folderOfTest("collector");
  journal = new Journal(join(dir, "journal"), { next: 0, maxBytes });
  app = await createCollector({
    journal,
    visitors: new DailyVisitors(dir),
    outcomes: OUTCOMES,
    origins: ["https://shop.example"],
    sites: [],
    address: "shortened",
    rate: 100,
    ...more,
  });
}

const send = (request: InjectOptions) => app.inject({ method: "POST", ...request });

interface Stored {
  readonly protocol: string;
  readonly reason: string;
  readonly body: string;
}
const stored = (): Stored[] =>
  readdirSync(join(dir, "journal"))
    .flatMap((name) =>
      readFileSync(join(dir, "journal", name), "utf8")
        .trim()
        .split("\n"),
    )
    .map((line) => JSON.parse(line));
const hits = () => stored().map(({ body }) => JSON.parse(body));

const HIT = { site: "shop", type: "pageview", url: "https://shop.example/home" };

describe("origins", () => {
  test.each([
    ["https://shop.example", 200],
    ["http://localhost:3000", 200],
    ["https://other.example", 403],
    ["https://localhost.other.example", 403],
    ["null", 403],
  ])("a page of %s gets %i", async (origin, status) => {
    const answer = await send({ url: "/hit", payload: JSON.stringify(HIT), headers: { origin } });
    expect(answer.statusCode).toBe(status);
    const allowed = answer.headers["access-control-allow-origin"];
    expect(allowed).toBe(status === 200 ? origin : undefined);
    expect(readdirSync(join(dir, "journal"))).toHaveLength(status === 200 ? 1 : 0);
  });

  test.each([
    ["https://other.example", "--origin https://other.example"],
    ["null", "a page that is a file has no origin"],
  ])("the refusal of a page of %s says what helps", async (origin, hint) => {
    const answer = await send({ url: "/hit", payload: JSON.stringify(HIT), headers: { origin } });
    expect(answer.json().hint).toContain(hint);
  });

  test("a preflight of an allowed page is answered with its headers", async () => {
    const headers = {
      origin: "https://shop.example",
      "access-control-request-headers": "content-type,sp-anonymous",
    };
    const answer = await app.inject({ method: "OPTIONS", url: "/hit", headers });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers["access-control-allow-headers"]).toBe("content-type,sp-anonymous");
  });

  test.each([
    [{ host: "other.example" }, "127.0.0.1", 403],
    [{ host: "127.0.0.1:9135" }, "203.0.113.7", 403],
    [{ host: "localhost:9135", origin: "https://shop.example" }, "127.0.0.1", 403],
    [{ host: "localhost:9135" }, "127.0.0.1", 200],
  ])("hits are shown to %o from %s with %i", async (headers, remoteAddress, status) => {
    for (const url of ["/hits", "/micro/all", "/", "/hits?x", "/%68its", "/m%69cro/all", "/?x"]) {
      const answer = await app.inject({ url, headers, remoteAddress });
      expect(answer.statusCode).toBe(status);
    }
  });

  test.each([
    ["a picture or link of another site", "cross-site", 403],
    ["a page of the collector", "same-origin", 200],
  ])("%s resets the counts with %s: %i", async (_, site, status) => {
    const headers = { host: "localhost:9135", "sec-fetch-site": site };
    expect((await app.inject({ url: "/micro/reset", headers })).statusCode).toBe(status);
  });
});

test("Micro answers with Snowplow's names, to GET and to POST", async () => {
  const headers = { host: "localhost" };
  for (const method of ["GET", "POST"] as const) {
    for (const url of ["/micro/all", "/micro/bad"])
      expect((await app.inject({ method, url, headers })).statusCode).toBe(200);
    const good = await app.inject({ method, url: "/micro/good", headers });
    const api = { vendor: "com.snowplowanalytics.snowplow", version: "tp2" };
    const plain = { schema: null, contexts: [], event: { event_type: "pageview" } };
    expect(good.json()).toMatchObject([
      {
        rawEvent: { api, parameters: { e: "ue" } },
        eventType: "unstruct",
        schema: "iglu:shop/size_chosen/jsonschema/1-0-0",
        contexts: ["iglu:shop/page/jsonschema/1-0-0"],
      },
      { rawEvent: { api }, eventType: "page_view", ...plain },
      { rawEvent: { api: { vendor: "page" } }, eventType: "pageview", ...plain },
    ]);
  }
});

describe("a body", () => {
  test("is parsed by its path, whatever its type", async () => {
    for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded"]) {
      const answer = await send({
        url: "/hit",
        payload: JSON.stringify(HIT),
        headers: { "content-type": type },
      });
      expect(answer.statusCode).toBe(200);
    }
    expect(stored().map(({ reason }) => reason)).toEqual(["", "", ""]);
  });

  test("may be compressed, and as a form have base64", async () => {
    const event = { event: "$pageview", properties: { distinct_id: "v" } };
    const json = JSON.stringify({ batch: [event] });
    await send({ url: "/e/?compression=gzip-js", payload: gzipSync(json) });
    const data = encodeURIComponent(Buffer.from(json).toString("base64"));
    await send({ url: "/e/?compression=base64", payload: `data=${data}` });
    expect(hits().map(({ event, distinct_id: id }) => `${event} ${id}`)).toEqual([
      "$pageview v",
      "$pageview v",
    ]);
  });

  test("is refused if it is too large, and bad if it is too large when it is unpacked", async () => {
    const large = await send({ url: "/hit", payload: "x".repeat(1024 * 1024 + 1) });
    expect(large.statusCode).toBe(413);
    const bomb = await send({ url: "/e/", payload: gzipSync("x".repeat(4 * 1024 * 1024)) });
    expect(bomb.statusCode).toBe(200);
    expect(stored()).toMatchObject([
      { protocol: "posthog", reason: expect.stringContaining("cannot be decompressed") },
    ]);
  });

  test.each([
    ["/hit", "oops", "the body is not JSON: Unexpected token 'o', \"oops\" is not valid JSON"],
    ["/hit", "1", "the body is not a JSON object"],
    ["/hit", "{}", "site is missing"],
    ["/com.snowplowanalytics.snowplow/tp2", "{}", "data is not an array"],
    ["/com.snowplowanalytics.snowplow/tp2", '{"data":[]}', "data is empty"],
    [
      "/com.snowplowanalytics.snowplow/tp2",
      '{"data":[1]}',
      "data has a value that is not an object",
    ],
    ["/v1/batch", '{"batch":1}', "batch is not an array"],
    ["/e/", '{"batch":[[]]}', "batch has a value that is not an object"],
    ["/api/event", '{"d":"shop"}', "n, the name of the event, is missing"],
    ["/api/event", '{"n":"pageview"}', "d, the domain of the site, is missing"],
    ["/api/send", '{"payload":{}}', "payload.website is missing"],
    ["/api/send", '{"type":"mine"}', "type is not event or identify"],
  ])("of %s that is %s is kept with the reason", async (url, payload, reason) => {
    expect((await send({ url, payload })).statusCode).toBe(200);
    expect(stored()).toMatchObject([{ reason, body: payload }]);
  });
});

test("a form that is no base64 is bad, and half a character of an event is U+FFFD", async () => {
  expect((await send({ url: "/e/", payload: "data=%E0%A4%A" })).statusCode).toBe(200);
  await send({ url: "/hit", payload: '{"site":"shop","type":"pageview","title":"\\ud83d"}' });
  const [bad, good] = stored();
  expect(bad?.reason).toContain("the body is not JSON");
  expect(JSON.parse(good?.body ?? "").title).toBe("\ufffd");
});

test("a hit at which a protocol fails is kept as a bad one", async () => {
  using _ = vi.spyOn(plausible, "hitsOf").mockImplementation(() => {
    throw new TypeError("a fault of ours");
  });
  expect((await send({ url: "/api/event", payload: "{}" })).statusCode).toBe(200);
  expect(stored()).toMatchObject([
    { reason: "the collector cannot read it: a fault of ours", body: "{}" },
  ]);
});

test("a request with several events gives a hit for each", async () => {
  const data = [
    { e: "pv", eid: "1" },
    { e: "pp", eid: "2" },
  ];
  await send({ url: "/com.snowplowanalytics.snowplow/tp2", payload: JSON.stringify({ data }) });
  expect(hits().map(({ eid }) => eid)).toEqual(["1", "2"]);
});

test("a request with more events, or with larger ones, than its size allows is one bad hit", async () => {
  const context = { text: "x".repeat(500_000) };
  const batch = Array.from({ length: 10_000 }, () => ({}));
  await send({ url: "/v1/batch", payload: JSON.stringify({ context, batch }) });
  await send({ url: "/v1/batch", payload: JSON.stringify({ batch: [...batch, {}] }) });
  expect(stored().map(({ reason }) => reason)).toEqual([
    "its events are larger than 4 MB",
    "batch has more than 10000 events",
  ]);
});

test("a call of Segment without a type has that of its path, and one of another type says so", async () => {
  for (const path of ["track", "identify", "p", "s"])
    await send({ url: `/v1/${path}`, payload: "{}" });
  await send({ url: "/v1/t", payload: '{"type":"screen"}' });
  await send({ url: "/v1/batch", payload: '{"batch":[{"type":"alias"},{"type":"mine"},{}]}' });
  expect(hits().map(({ type }) => type)).toEqual([
    ...["track", "identify", "page", "screen", "screen"],
    ...["alias", "another type", "another type"],
  ]);
});

test.each([
  ["shortened", "198.51.100.0"],
  ["none", undefined],
] as const)("of an address that a tracker names, %s keeps %s", async (address, kept) => {
  const ip = "198.51.100.77";
  const requests: [string, object][] = [
    ["/v1/track", { context: { ip }, request_ip: ip, requestIp: ip }],
    ["/com.snowplowanalytics.snowplow/tp2", { data: [{ e: "pv", ip }] }],
    ["/e/", { event: "$pageview", properties: { $ip: ip } }],
    ["/api/send", { payload: { website: "w", ip } }],
  ];
  await restart({ address });
  for (const [url, body] of requests) await send({ url, payload: JSON.stringify(body) });
  const found = stored().map(({ body }) => body.match(/[\d.]+\.100\.\d+/g));
  expect(found).toEqual(requests.map(() => (kept === undefined ? null : [kept])));
});

test("a picture of Snowplow is answered with a picture, and base64 in its query is read", async () => {
  const context = Buffer.from('{"data":[]}').toString("base64url");
  const answer = await app.inject({ method: "GET", url: `/i?e=pv&eid=1&cx=${context}` });
  expect(answer.headers["content-type"]).toBe("image/gif");
  expect(hits()).toMatchObject([{ e: "pv", eid: "1", co: '{"data":[]}' }]);
});

test("the time of an event is that of the request less the wait at the page, whatever the page's clock", async () => {
  const at = Date.now();
  const times = { dtm: "1000000000000", stm: "1000000060000" };
  const segment = { timestamp: "2001-01-01T00:00:00Z", sentAt: "2001-01-01T00:01:00Z" };
  const data = [{ e: "pv", ...times }, { e: "pv" }];
  await send({ url: "/com.snowplowanalytics.snowplow/tp2", payload: JSON.stringify({ data }) });
  await send({ url: "/v1/p", payload: JSON.stringify(segment) });
  await send({ url: "/v1/p", payload: JSON.stringify({ timestamp: segment.timestamp }) });
  const waits = hits().map(({ time, timestamp }) => at - Date.parse(time ?? timestamp));
  const minutes = waits.map((wait) => Math.abs(Math.round(wait / 60_000)));
  expect(minutes.slice(0, 3)).toEqual([1, 0, 1]);
  // A server that sends events of its own has no time of sending.
  expect(hits()[3].timestamp).toBe("2001-01-01T00:00:00.000Z");
  await send({ url: "/v1/p", payload: '{"timestamp":"2101-01-01T00:00:00Z"}' });
  expect(Date.parse(hits()[4].timestamp)).toBeLessThanOrEqual(Date.now());
});

test("an address is shortened, and a page without consent gets the visitor of the day", async () => {
  await send({ url: "/hit", payload: JSON.stringify(HIT), remoteAddress: "203.0.113.77" });
  await send({ url: "/hit", payload: JSON.stringify(HIT), remoteAddress: "203.0.113.78" });
  const visitor = JSON.stringify({ ...HIT, visitor: "v1" });
  await send({ url: "/hit", payload: visitor, remoteAddress: "203.0.113.77" });
  const [first, other, known] = hits();
  expect(first.address).toBe("203.0.113.0");
  expect(first.visitor).toMatch(/^[0-9a-f]{32}$/);
  expect(other.visitor).not.toBe(first.visitor);
  expect(known.visitor).toBe("v1");
});

test("a hit of a site that is not allowed is kept as a bad one, for each tracker", async () => {
  const targets: [string, (site: string) => object][] = [
    ["/hit", (site) => ({ ...HIT, site })],
    ["/com.snowplowanalytics.snowplow/tp2", (aid) => ({ data: [{ e: "pv", aid }] })],
    ["/v1/p", (writeKey) => ({ type: "page", writeKey })],
    ["/e/", (token) => ({ batch: [{ event: "$pageview", properties: { token } }] })],
    ["/api/event", (d) => ({ n: "pageview", d, u: HIT.url })],
    ["/api/send", (website) => ({ payload: { website } })],
  ];
  await restart({ sites: ["shop", "blog"] });
  for (const [url, bodyOf] of targets)
    for (const site of ["shop", "blog", "other"])
      await send({ url, payload: JSON.stringify(bodyOf(site)) });
  const refused = "its site is not allowed (--site)";
  const reasons = targets.flatMap(() => ["", "", refused]);
  expect(stored().map(({ reason }) => reason)).toEqual(reasons);
  expect(stored()[2]?.body).toContain("other");
});

describe("the rate of an address", () => {
  const statusOf = async (remoteAddress: string) => {
    const headers = { origin: "https://shop.example" };
    const answer = await send({
      url: "/hit",
      payload: JSON.stringify(HIT),
      remoteAddress,
      headers,
    });
    expect(answer.headers["access-control-allow-origin"]).toBe(headers.origin);
    if (answer.statusCode === 429) expect(answer.headers["retry-after"]).toBe("10");
    return answer.statusCode;
  };

  test("is limited, also at paths that are none; others go on", async () => {
    await restart({ rate: 1 });
    for (let i = 0; i < 10; i += 1) await app.inject({ url: "/x", remoteAddress: "203.0.113.7" });
    expect(await statusOf("203.0.113.7")).toBe(429);
    expect(await statusOf("203.0.113.8")).toBe(200);
    expect(stored()).toHaveLength(1);
  });

  test("is that of an IPv6 network, since a machine has many addresses of it", async () => {
    await restart({ rate: 1 });
    for (let i = 0; i < 10; i += 1) await statusOf(`2001:db8:1:2::${i}`);
    expect(await statusOf("2001:db8:1:2::abc")).toBe(429);
    expect(await statusOf("2001:db8:1:3::abc")).toBe(200);
  });
});

test("only a proxy that was named tells the address of a visitor", async () => {
  const headers = { "x-forwarded-for": "203.0.113.7" };
  const localhost = { ...headers, host: "localhost:9135" };
  await send({ url: "/hit", payload: JSON.stringify(HIT), headers });
  expect((await app.inject({ url: "/hits", headers: localhost })).statusCode).toBe(200);
  expect(hits()[0].address).toBe("127.0.0.0");
  await restart({ proxy: "127.0.0.1" });
  await send({ url: "/hit", payload: JSON.stringify(HIT), headers });
  expect((await app.inject({ url: "/hits", headers: localhost })).statusCode).toBe(403);
  const remoteAddress = "198.51.100.1";
  await send({ url: "/hit", payload: JSON.stringify(HIT), headers, remoteAddress });
  expect(hits().map(({ address }) => address)).toEqual(["203.0.113.0", "198.51.100.0"]);
});

test("a full journal answers 503 and when to retry", async () => {
  await restart({ maxBytes: 10 });
  await send({ url: "/hit", payload: JSON.stringify(HIT) });
  const answer = await send({ url: "/hit", payload: JSON.stringify(HIT) });
  expect(answer.statusCode).toBe(503);
  expect(answer.headers["retry-after"]).toBe("10");
});

test("requests that are no hits are answered, unknown ones with 404, and no answer sets a cookie or redirects", async () => {
  const targets: [string, string, number][] = [
    ["GET", "/array/key/config.js", 200],
    ["POST", "/flags/?v=2", 200],
    ["GET", "/hit", 404],
    ["POST", "/nothing", 404],
    ["GET", "/home", 200],
    ["GET", "/i?e=pv&u=https://other.example&redirect=https://other.example", 200],
    ["GET", "//[", 404],
  ];
  for (const [method, url, status] of targets) {
    const answer = await app.inject({ method: method as "GET", url });
    expect(`${url} ${answer.statusCode}`).toBe(`${url} ${status}`);
    const { location, "set-cookie": cookie } = answer.headers;
    expect([location, cookie]).toEqual([undefined, undefined]);
  }
  expect(stored()).toHaveLength(1);
});

test("the snippet has at most 1.5 KB", async () => {
  const { body } = await app.inject({ url: "/snippet.js" });
  expect(body.length).toBeLessThanOrEqual(1536);
  expect(() => new Function(body)).not.toThrow();
});

test("the snippet sends hits of a browser whose storage throws, as with blocked cookies", async () => {
  const { body } = await app.inject({ url: "/snippet.js" });
  const sent: string[] = [];
  const page = {
    document: {
      currentScript: { dataset: { site: "shop", consent: "granted" }, src: "http://c/snippet.js" },
    },
    location: { href: "https://shop.example/home" },
    ...{ crypto, history: {}, navigator: {}, URL, addEventListener: () => undefined },
    fetch: async (_: URL, request: { body: string }) => {
      sent.push(request.body);
      return { status: 200 };
    },
    get localStorage() {
      throw new Error("SecurityError");
    },
  };
  const window = createContext(Object.defineProperty(page, "window", { get: () => page }));
  runInContext(body, window);
  runInContext("track.consent(false); track('search')", window);
  expect(sent.map((hit) => JSON.parse(hit).type)).toEqual(["pageview", "search"]);
});
