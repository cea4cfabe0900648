import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Journal } from "../../collector/journal.ts";
import { createCollector } from "../../collector/server.ts";
import { DailyVisitors } from "../../collector/visitor.ts";
import type { ServerDatabase } from "../../warehouse/database/http.ts";
import { Delivery } from "../../warehouse/hits/delivery.ts";
import { outcomesOf } from "../../warehouse/hits/outcomes.ts";
import { StgOutlet } from "../../warehouse/hits/outlet.ts";
import { proveDeep } from "../../warehouse/reconciliation/deep.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import { clearAll } from "../support/engine.ts";
import { digestsOf, load } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { useFolder } from "../support/use-folder.ts";

const engine = useTestEngine();
const dir = useFolder("hits");
let db: ServerDatabase;
let delivery: Delivery;
let outlet: StgOutlet;
let next = 0;

beforeAll(() => {
  db = engine.db as ServerDatabase;
});
afterAll(() => delivery.close());

/** A new epoch without data. */
beforeEach(async () => {
  await clearAll(db);
  await open();
  next = await delivery.next();
});

/** Opens the delivery, as a start of the collector does. */
async function open(): Promise<void> {
  outlet = new StgOutlet(db);
  delivery = await Delivery.open(db, outlet);
}

interface Body {
  readonly [key: string]: unknown;
}

/** A hit of the snippet at a minute of a day. */
const hit = (minute: number, more: Body = {}): Body => ({
  site: "shop",
  type: "pageview",
  url: "https://shop.example/home",
  visitor: "v1",
  address: "203.0.113.0",
  agent: FIREFOX,
  time: new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString(),
  ...more,
});

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";

function write(hits: readonly Body[]): { file: string; first: number } {
  const file = join(dir, `${next}.jsonl`);
  const lines = hits.map((body, index) =>
    JSON.stringify({
      number: next + index,
      protocol: "page",
      received: Date.UTC(2026, 2, 1, 12),
      reason: body.reason ?? "",
      body: JSON.stringify(body),
    }),
  );
  writeFileSync(file, `${lines.join("\n")}\n`);
  const first = next;
  next += hits.length;
  return { file, first };
}

const deliver = (...hits: Body[]): Promise<void> => delivery.deliver(write(hits));

const messages = async <T>(topic: string): Promise<T[]> =>
  (
    await db.rows<{ raw: string }>(
      `SELECT raw FROM stg.raw FINAL WHERE _topic = '${topic}_events' ORDER BY epoch, _offset`,
    )
  ).map(({ raw }) => JSON.parse(raw));

interface Device {
  readonly click_id: string;
  readonly user_custom_id: string;
  readonly user_domain_id: string | null;
  readonly os_name: string;
}

/** Sessions of the events of each visitor, as letters in the order of their first event. */
async function sessions(): Promise<Record<string, string>> {
  const devices = await messages<Device>("device");
  const visitors = new Map(devices.map((one) => [one.click_id, one.user_custom_id]));
  const ids = (await messages<{ click_id: string }>("browser")).map((one) => one.click_id);
  const ofVisitors = Map.groupBy(ids, (id) => visitors.get(id) ?? "");
  return Object.fromEntries(
    [...ofVisitors].map(([visitor, own]) => {
      const seen = [...new Set(own)];
      return [visitor, own.map((id) => "abcdef"[seen.indexOf(id)]).join("")];
    }),
  );
}

describe("sessions across files", () => {
  /** Minutes of a visitor's hits in each file. The collector starts again before the last one. */
  const VISITORS: Readonly<Record<string, readonly [(readonly number[])[], sessions: string]>> = {
    "a pause of 30 minutes, and a longer one": [[[0], [30, 45], [76, 77], []], "aaabb"],
    "a restart": [[[0], [], [], [20]], "aa"],
    "hits that arrive late": [[[10, 35], [5, 20, 60], [], []], "aaaaa"],
    "a session that is long over": [[[0], [100], [99, 131], []], "abbc"],
  };

  test("are each visitor's own, and go on by its pauses", async () => {
    const hitsOf = (file: number) =>
      Object.entries(VISITORS).flatMap(([visitor, [files]]) =>
        (files[file] ?? []).map((minute) => hit(minute, { visitor })),
      );
    for (const file of [0, 1, 2]) await deliver(...hitsOf(file));
    await delivery.close();
    await open();
    expect(await delivery.next()).toBe(next);
    await deliver(...hitsOf(3));
    expect(await sessions()).toEqual(
      Object.fromEntries(
        Object.entries(VISITORS).map(([visitor, [, expected]]) => [`shop ${visitor}`, expected]),
      ),
    );
  });

  test("equal visitors of two sites have two", async () => {
    await deliver(hit(0), hit(1, { site: "blog" }));
    await deliver(hit(2), hit(3, { site: "blog" }));
    expect(await sessions()).toEqual({ "shop v1": "aa", "blog v1": "aa" });
    await load(db, "full");
    expect(
      await db.rows("SELECT site, user_custom_id, sessions FROM dm.visitor ORDER BY site"),
    ).toEqual([
      { site: "blog", user_custom_id: "blog v1", sessions: 1 },
      { site: "shop", user_custom_id: "shop v1", sessions: 1 },
    ]);
  });
});

describe("messages of a session", () => {
  test("device and place are sent once", async () => {
    await deliver(hit(0), hit(1));
    await deliver(hit(2));
    expect(await messages<Device>("device")).toMatchObject([{ os_name: "Linux" }]);
    expect(await messages("geo")).toMatchObject([{ ip_address: "203.0.113.0" }]);
  });

  test("a visitor who logs in later is a registered user of the whole session", async () => {
    await deliver(hit(0));
    await deliver(hit(1, { account: "u1" }));
    await deliver(hit(2, { account: "u1" }));
    const accounts = (await messages<Device>("device")).map((one) => one.user_domain_id);
    expect(accounts).toEqual([null, expect.any(String)]);
    await load(db, "full");
    const rows = await db.rows("SELECT user_domain_id FROM dds.click");
    expect(rows).toEqual([{ user_domain_id: accounts[1] }]);
  });
});

describe("a hit that comes again", () => {
  test("is one event", async () => {
    await deliver(hit(0, { id: "h1" }), hit(0, { id: "h1" }));
    await deliver(hit(0, { id: "h1" }));
    await load(db, "full");
    expect(await db.rows("SELECT duplicates FROM dds.event")).toEqual([{ duplicates: 2 }]);
  });

  test("as an order of another page view counts once", async () => {
    const order = { type: "purchase", properties: { value: 5, currency: "EUR", order_id: "o1" } };
    await deliver(hit(0, { ...order, id: "h1" }));
    await deliver(hit(1, { ...order, id: "h2" }), hit(1, { ...order, id: "h1" }));
    await deliver(hit(2, { ...order, id: "h3", visitor: "v2" }));
    await load(db, "full");
    const revenue = "SELECT count() AS orders, sum(order_value) AS revenue FROM dds.event";
    expect(await db.rows(revenue)).toEqual([{ orders: 2, revenue: 10 }]);
    const again = "SELECT count() AS count FROM hits.outcome FINAL WHERE reason = 'an order again'";
    expect(await db.rows(again)).toEqual([{ count: 1 }]);
  });
});

test("a file that is delivered again, as after a kill, changes nothing", async () => {
  await deliver(hit(0), hit(1, { visitor: "v2" }));
  const order = { value: 5, currency: "EUR", order_id: "o1" };
  const file = write([hit(2), hit(3, { type: "purchase", properties: order }), hit(50)]);
  const read = async () => [
    await db.rows("SELECT * EXCEPT (ingested_at, _timestamp) FROM stg.raw FINAL ORDER BY ALL"),
    await db.rows("SELECT source, statement FROM stg.manifest FINAL"),
    await db.rows("SELECT * EXCEPT stored_at FROM hits.outcome FINAL ORDER BY number"),
  ];
  // A kill after the messages are in stg, and before the record.
  using killed = vi.spyOn(db, "insertTsv").mockRejectedValueOnce(new Error("killed"));
  await expect(delivery.deliver(file)).rejects.toThrow("killed");
  expect(killed).toHaveBeenCalledOnce();
  const [rows, , outcomes] = await read();
  await open();
  await delivery.deliver(file);
  const once = await read();
  expect([once[0], once[2]]).toEqual([rows, outcomes]);
  // A kill before the file of the journal is deleted.
  await open();
  await delivery.deliver(file);
  expect(await read()).toEqual(once);
});

describe("a hit that the database refuses", () => {
  const reasons = () =>
    db.rows<{ number: number; reason: string }>(
      "SELECT number, reason FROM hits.outcome FINAL WHERE number >= {from:UInt64} ORDER BY number",
      { from: next - 5 },
    );

  test("is set aside with the reason, and only it", async () => {
    await db.run(
      "CREATE OR REPLACE FUNCTION flat AS object -> if(throwIf(object LIKE '%poison%') = 0, JSONExtract(object, 'Map(String, String)'), map())",
    );
    const poison = { properties: { note: "poison" } };
    await deliver(hit(0), hit(1, poison), hit(2, poison), hit(3), hit(4));
    const found = (await reasons()).map(({ reason }) => reason);
    const refused = expect.stringMatching(/^the database refuses it: /);
    expect(found).toEqual(["", refused, refused, "", ""]);
    expect(await messages("browser")).toHaveLength(3);
    await outlet.close();
    await load(db, "full");
    const { verdict, notes } = await prove(db);
    expect(verdict).toBe("accounted");
    expect(notes.join()).toContain("5 hits = 3 events + 2 hits rejected (the database refuses it)");
  });

  test("is not what fails if the database refuses all: the file waits", async () => {
    await db.run("DROP FUNCTION flat");
    await expect(deliver(hit(0), hit(1), hit(2), hit(3), hit(4))).rejects.toThrow("flat");
    expect(await reasons()).toEqual([]);
  });
});

describe("the reconciliation", () => {
  const LINE = "hits of the collector = events + reasons";
  const bad = { reason: "the body is not JSON" };

  test("begins at the hits: each is an event or has a reason", async () => {
    await deliver(hit(0), hit(1, { time: "yesterday" }), bad);
    await deliver(hit(2));
    await outlet.close();
    await load(db, "full");
    const { verdict, layers, notes } = await prove(db);
    expect(layers.find(({ identity }) => identity === LINE)).toMatchObject({
      expected: 4,
      found: 4,
    });
    expect(notes).toContain(
      "the collector: 4 hits = 2 events + 1 hit rejected (no readable time) + 1 hit rejected (the body is not JSON).",
    );
    expect(verdict).toBe("accounted");
    expect((await proveDeep(db)).layers).toEqual([]);
  });

  test("is accounted for what is delivered, while the collector may send more", async () => {
    await deliver(hit(0));
    await load(db, "full");
    expect((await prove(db)).verdict).toBe("accounted");
  });

  test("finds hits of a file that got lost", async () => {
    await deliver(hit(0));
    write([hit(1), hit(2)]);
    await deliver(hit(3));
    await outlet.close();
    await load(db, "full");
    const { verdict, layers } = await prove(db);
    expect(layers.find(({ identity }) => identity === LINE)).toMatchObject({
      expected: 4,
      found: 2,
    });
    expect(verdict).toBe("unaccounted");
  });

  test("finds a message that got lost after the delivery", async () => {
    await deliver(hit(0), hit(1));
    await outlet.close();
    await db.run(
      "DELETE FROM stg.raw WHERE _topic = 'location_events' AND _offset = {last:Int64}",
      {
        last: next - 1,
      },
    );
    await load(db, "full");
    expect(await prove(db)).toMatchObject({ verdict: "unaccounted", unaccounted: 1 });
  });
});

test("incremental loads of the files give the marts of a full one", async () => {
  await deliver(hit(0));
  await load(db, "incremental");
  await deliver(hit(1, { account: "u1" }), hit(1, { visitor: "v2" }));
  await load(db, "incremental");
  const incremental = await digestsOf(db);
  await load(db, "full");
  expect(await digestsOf(db)).toEqual(incremental);
});

test("what became of the hits can be read at once, and forgotten", async () => {
  const waiting = [
    [hit(0), { reason: "the body is not JSON" }],
    [hit(1, { properties: { text: "x".repeat(5000) } })],
  ];
  const outcomes = outcomesOf(db, async () => {
    const hits = waiting.shift();
    if (hits) await deliver(...hits);
  });
  await outcomes.reset();
  expect(await outcomes.totals()).toEqual({ total: 1, good: 1, bad: 0 });
  expect(await outcomes.latest("bad", 10)).toEqual([]);
  const [shown] = await outcomes.shown(1);
  expect(shown).toMatchObject({ title: "pageview /home" });
  expect(String(shown?.body_shown).length).toBe(2000);
  const [good] = await outcomes.latest("good", 10);
  expect(good).toMatchObject({ protocol: "page", is_bad: false, reason: "" });
  expect(JSON.parse(good?.location ?? "")).toMatchObject({ page_url_path: "/home" });
});

describe("requests that trackers sent", () => {
  interface Request {
    readonly method: "GET" | "POST";
    readonly path: string;
    readonly contentType: string;
    readonly body: string;
  }
  const recorded = readFileSync(join(import.meta.dirname, "collector/requests.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Request);

  const DERIVED = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  /** Sends requests as one browser, and returns each row as one line. */
  async function rowsOf(requests: readonly Request[]): Promise<string[]> {
    const journal = new Journal(join(dir, "journal"), { next, maxBytes: 1e9 });
    const visitors = new DailyVisitors(dir);
    const outcomes = outcomesOf(db, async () => undefined);
    const kept = { origins: [], sites: [], address: "full", rate: 100 } as const;
    const app = await createCollector({ journal, visitors, outcomes, ...kept });
    for (const { method, path, contentType, body } of requests) {
      const answer = await app.inject({
        method,
        url: path,
        payload: body,
        remoteAddress: "203.0.113.7",
        headers: { "content-type": contentType, "user-agent": FIREFOX, "accept-language": "de,en" },
      });
      expect(answer.statusCode).toBe(200);
    }
    await app.close();
    const file = await journal.oldest();
    if (file) await delivery.deliver(file);
    if (file) journal.delivered(file);
    await journal.close();
    await load(db, "full");
    const rows = await db.rows<{ line: string }>(
      `SELECT concatWithSeparator(' | ', protocol, reason, event.event_type, event.page_url_path, event.referer_medium,
         concat(event.utm_source, ' ', event.utm_medium, ' ', event.utm_campaign), ifNull(toString(event.order_value), ''), event.currency,
         event.properties['order_id'], event.site, user_custom_id, if(isNull(user_domain_id), '', 'account'),
         os_name, os_timezone, event.browser_name, event.browser_language, ip_address,
         toString(click.click_id)) AS line
       FROM (SELECT * FROM hits.outcome FINAL WHERE number >= {next:UInt64}) AS outcome
       LEFT JOIN dds.event AS event ON event.event_id = toUUIDOrZero(JSONExtractString(outcome.event, 'event_id'))
       LEFT JOIN dds.click AS click ON event.click_id = click.click_id
       ORDER BY number`,
      { next },
    );
    return rows.map(({ line }) =>
      line
        .replace(/ 0{8}-[0-]+$/, " ")
        .replace(DERIVED, "derived")
        .replace(/\b[0-9a-f]{32}\b/, "of the day"),
    );
  }

  /** Page, campaign and browser of the recorded page views and orders. */
  const lines = (tracker: string, page: string, visitor: string, on: string) => {
    const site = { snowplow: "shop", segment: "wk", posthog: "phc_x" }[tracker] ?? "shop.example";
    const line = (type: string, amount = " | ", order = "") =>
      `${tracker} |  | ${type} | ${page} | search | news email may | ${amount} | ${order} | ${site} | ${site} ${visitor} | ${on} | 203.0.113.7 | derived`;
    const none = (reason: string) =>
      `${tracker} | ${reason} |  |  |  |    |  |  |  |  |  |  |  |  |  |  |  | `;
    return { line, none };
  };

  test("give the rows of each tracker", async () => {
    const visitor = "e9771a74-32e2-4928-bc01-884d306afb02 | account";
    const on = "Linux | UTC | Firefox | en-US";
    const snowplow = lines("snowplow", "/page/snowplow", visitor, on);
    const chrome = "Linux | UTC | Chrome | en-US";
    const anonymous = "6a26c092-6e65-4e5e-b18e-fab23be6ecbc | account";
    const segment = lines("segment", "/page/segment", anonymous, chrome);
    const device = "01a22201-6283-76b5-b345-96fb0b5e2ca8 | account";
    const posthog = lines("posthog", "/page/posthog", device, chrome);
    const plain = "Linux |  | Firefox | de";
    const [older, newer] = ["/page/plausible", "/page/plausible2"].map((page) =>
      lines("plausible", page, "of the day | ", plain),
    );
    expect(await rowsOf(recorded)).toEqual([
      snowplow.line("pageview"),
      snowplow.line("add"),
      snowplow.line("purchase", "42.5 | EUR", "t1"),
      segment.line("pageview"),
      segment.none("identify"),
      segment.line("purchase", "42.5 | EUR", "t1"),
      posthog.line("pageview"),
      posthog.none("$identify"),
      posthog.line("purchase", "42.5 | EUR"),
      posthog.line("$pageleave"),
      older?.line("pageview"),
      older?.line("purchase"),
      newer?.line("pageview"),
      newer?.line("purchase", "42.5 | EUR"),
      newer?.none("engagement"),
    ]);
  });

  test("as pictures, of Umami and of the snippet give rows, too", async () => {
    const post = (path: string, body: unknown): Request => ({
      method: "POST",
      path,
      contentType: "text/plain",
      body: JSON.stringify(body),
    });
    const described = {
      schema: "iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0",
      data: { schema: "iglu:shop/size_chosen/jsonschema/1-0-0", data: {} },
    };
    const query = new URLSearchParams({
      e: "ue",
      ue_px: Buffer.from(JSON.stringify(described)).toString("base64url"),
      duid: "d1",
      vid: "3",
      url: "https://shop.example/product_a",
    });
    const payload = { website: "w1", hostname: "shop.example", language: "en", url: "/cart" };
    const shop = { site: "shop", url: "https://shop.example/payment", visitor: "v9" };
    const properties = { value: 9.5, currency: "GBP", order_id: "o9" };
    const requests: Request[] = [
      { method: "GET", path: `/i?${query}`, contentType: "text/plain", body: "" },
      post("/api/send", { type: "event", payload }),
      post("/api/send", { type: "event", payload: { ...payload, name: "view" } }),
      post("/api/send", { type: "identify", payload }),
      post("/hit", { ...shop, type: "pageview", referrer: "https://shop.example/cart" }),
      post("/hit", { ...shop, type: "purchase", properties }),
    ];
    expect(await rowsOf(requests)).toEqual([
      "snowplow |  | size_chosen | /product_a | direct |    |  |  |  |  | d1 |  | Linux |  | Firefox |  | 203.0.113.7 | derived",
      "umami |  | pageview | /cart | direct |    |  |  |  | w1 | w1 of the day |  | Linux |  | Firefox | en | 203.0.113.7 | derived",
      "umami |  | view | /cart | direct |    |  |  |  | w1 | w1 of the day |  | Linux |  | Firefox | en | 203.0.113.7 | derived",
      "umami | identify |  |  |  |    |  |  |  |  |  |  |  |  |  |  |  | ",
      "page |  | pageview | /payment | internal |    |  |  |  | shop | shop v9 |  | Linux |  | Firefox | de | 203.0.113.7 | derived",
      "page |  | purchase | /payment | direct |    | 9.5 | GBP | o9 | shop | shop v9 |  | Linux |  | Firefox | de | 203.0.113.7 | derived",
    ]);
  });
});
