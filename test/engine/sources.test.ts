import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { rowsOf, unexplainedRows } from "../../contract/import-account.ts";
import { openDataset } from "../../generator/dataset/format.ts";
import { type ImportResult, importFiles } from "../../warehouse/import/import.ts";
import { shippedSources } from "../../warehouse/import/source.ts";
import { loadIntoStg } from "../../warehouse/loader/stg.ts";
import { openerIn } from "../support/own-data.ts";
import { load } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";
import { useFolder } from "../support/use-folder.ts";

/** One folder per source with `sample.<ending>`, and `expected.json`, which is derived from the sample by hand. */
const SAMPLES = join(import.meta.dirname, "sources");
const NAMES = shippedSources().map(({ name }) => name);

const engine = useTestEngine();
const open = openerIn(engine);
const root = useFolder("sources");
const results = new Map<string, ImportResult>();
beforeAll(async () => {
  for (const name of NAMES) {
    const folder = join(SAMPLES, name);
    const sample = readdirSync(folder).find((file) => file.startsWith("sample.")) ?? "";
    const dir = join(root, name);
    results.set(name, await importFiles([join(folder, sample)], undefined, { dir, open }));
    const isFirst = name === NAMES[0];
    await loadIntoStg(engine.db, await openDataset(dir), { limit: 0, reset: isFirst });
  }
  await load(engine.db, "full");
});

interface BrowserMessage {
  readonly click_id: string;
  readonly event_type: string;
  readonly order_value: number | null;
  readonly currency: string;
}

test.each(NAMES)("%s is recognised, and its sample gives the expected sessions", async (name) => {
  const { source, account } = results.get(name) as ImportResult;
  expect(source).toBe(name);
  expect(unexplainedRows(account)).toBe(0);
  const { name: _, files: _files, ...counts } = account;
  const events = messages<BrowserMessage>(name, "browser");
  const types = events.map((event) => event.event_type).sort();
  expect({
    account: { rows: rowsOf(account), ...counts },
    types: Object.fromEntries(
      types.map((type) => [type, types.filter((one) => one === type).length]),
    ),
    revenue: events
      .filter((event) => event.order_value !== null)
      .map((event) => `${event.order_value} ${event.currency}`)
      .sort(),
    sessions: await sessionsOf(events.map((event) => event.click_id)),
  }).toEqual(JSON.parse(readFileSync(join(SAMPLES, name, "expected.json"), "utf8")));
});

test("an address of Umami has the query before the fragment", () => {
  const addresses = messages<{ page_url: string }>("umami", "location").map((one) => one.page_url);
  expect(addresses).toContain("https://shop.example.com/?gclid=abc#offers");
});

test("a visitor of PostHog who logged in has an account, in a browser and in an app", () => {
  const devices = messages<{ user_custom_id: string; user_domain_id: string | null }>(
    "posthog",
    "device",
  );
  const registered = devices.filter((one) => one.user_domain_id !== null);
  expect(registered.map((one) => one.user_custom_id).sort()).toEqual([
    "phc_x 018fd000-0000-7000-8000-000000000001",
    "phc_x 018fd000-0000-7000-8000-000000000001",
    "phc_x user-app",
  ]);
});

test("an access log gives the address of the visitor before those of proxies, and no host that is a dash", () => {
  const places = messages<{ ip_address: string }>("access-log", "geo").map((one) => one.ip_address);
  expect(places).toEqual(expect.arrayContaining(["198.51.100.81", "198.51.100.82"]));
  const pages = messages<{ page_url: string }>("access-log", "location");
  const hosts = new Set(pages.map((one) => new URL(one.page_url).host));
  expect(hosts).toEqual(new Set(["shop.example.com", "other.example.com"]));
});

const messages = <T>(name: string, stream: string): T[] =>
  zstdDecompressSync(readFileSync(join(root, name, `${stream}.jsonl.zst`)))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

/** Each session as one line. Only page events are counted. A visitor without an id has a digest of its address. */
async function sessionsOf(ids: readonly string[]): Promise<string[]> {
  const rows = await engine.db.rows<{ line: string }>(
    `SELECT concatWithSeparator(' | ', replaceRegexpOne(ifNull(user_custom_id, ''), 'address .*', 'address'),
       toString(started_at), entry_page, exit_page, channel, toString(page.events), toString(purchases),
       device_type, geo_country) AS line
     FROM dm.session
     JOIN (
       SELECT click_id, countIf(event_type IN ('pageview', 'purchase')) AS events
       FROM dm.event_enriched
       WHERE has(splitByChar(',', {ids:String}), toString(click_id))
       GROUP BY click_id
     ) AS page ON page.click_id = session.click_id
     ORDER BY started_at`,
    { ids: ids.join(",") },
  );
  return rows.map(({ line }) => line);
}
