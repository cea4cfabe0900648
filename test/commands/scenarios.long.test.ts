import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Manifest } from "../../contract/manifest.ts";
import { runBackfill } from "../../generator/backfill.ts";
import { donorPool } from "../../generator/behaviour/scenario/donors.ts";
import {
  findScenario,
  SCENARIOS_ROOT,
  scenarioNames,
} from "../../generator/behaviour/scenario/scenario.ts";
import { scenarioConfig } from "../../warehouse/demo/config.ts";
import { checkHistory, readLiveHandover } from "../../warehouse/history/check.ts";
import { modelOf } from "../../warehouse/history/model.ts";
import { compareTruth } from "../../warehouse/history/truth.ts";
import { StgPublisher } from "../../warehouse/loader/stg-publisher.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import type { Reconciliation } from "../../warehouse/reconciliation/reconciliation.ts";
import { currentEpoch } from "../../warehouse/sources/epoch.ts";
import { finishedHistory } from "../../warehouse/sources/source.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import { clearAll } from "../support/engine.ts";
import { load } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const DIGESTS = join(SCENARIOS_ROOT, "digests.json");
const UPDATES = process.env.UPDATE_SCENARIOS === "1";
const published: Record<string, object> = JSON.parse(readFileSync(DIGESTS, "utf8"));

const engine = useTestEngine();
afterAll(async () => {
  if (UPDATES) writeFileSync(DIGESTS, `${JSON.stringify(published, null, 2)}\n`);
});

async function run(name: string): Promise<{ manifest: Manifest; reconciliation: Reconciliation }> {
  const { db } = engine;
  await clearAll(db);
  const config = scenarioConfig(name);
  const publisher = await StgPublisher.open(db);
  const { manifest } = await runBackfill(config, donorPool(config), publisher);
  await publisher.close();
  await storeSource(db, await currentEpoch(db), finishedHistory("demo", manifest));
  await load(db, "full");
  return { manifest, reconciliation: await prove(db) };
}

/** Tables whose rows only a change of the generator or of the meaning of an event changes. */
const TABLES = ["dds.event", "dds.click"];

type Row = Record<string, number>;
const rowsOf = (sql: string): Promise<Row[]> => engine.db.rows<Row>(sql);
const rowOf = async (sql: string): Promise<Row> => (await rowsOf(sql))[0] ?? {};

/** What an analyst finds in the marts. */
const EFFECTS: Readonly<Record<string, () => Promise<void>>> = {
  "calm-week": async () => {
    const days = await rowsOf(
      `SELECT avg(has_purchase) AS conversion, count() AS sessions FROM dm.session
       WHERE clock = 'right' AND session_date <= '2026-03-08' GROUP BY session_date`,
    );
    expect(days).toHaveLength(7);
    const conversions = days.map(({ conversion = 0 }) => conversion);
    expect(Math.max(...conversions) - Math.min(...conversions)).toBeLessThan(0.02);
  },

  "sale-day": async () => {
    const day = (date: string) =>
      rowOf(
        `SELECT sum(page_events) AS events, avg(has_purchase) AS conversion FROM dm.session
         WHERE clock = 'right' AND session_date = '${date}'`,
      );
    const [before, sale, after] = await Promise.all(
      ["2026-06-10", "2026-06-11", "2026-06-12"].map(day),
    );
    // Weekdays: Wednesday and Friday 0.95, Thursday 0.9.
    const ratio = (a: Row | undefined, b: Row | undefined) => (a?.events ?? 0) / (b?.events ?? 1);
    // By chance a day varies by 2 %, because the events of a session come together.
    expect(Math.abs(ratio(sale, before) - (2 * 0.9) / 0.95)).toBeLessThan(0.2);
    expect(Math.abs(ratio(after, before) - 0.7)).toBeLessThan(0.1);
    expect((sale?.conversion ?? 0) / (before?.conversion ?? 1)).toBeGreaterThan(1.15);
  },

  campaigns: async () => {
    const [dud, winner] = await rowsOf(
      `SELECT count() AS sessions, avg(has_purchase) AS conversion FROM dm.session
       WHERE utm_campaign LIKE 'product\\_%' AND clock = 'right'
       GROUP BY utm_campaign ORDER BY utm_campaign`,
    );
    expect(dud?.sessions).toBeGreaterThan(1.5 * (winner?.sessions ?? 0));
    expect(dud?.conversion).toBeLessThan(0.005);
    expect(winner?.conversion).toBeGreaterThan(0.03);
  },

  "bot-wave": async () => {
    const row = await rowOf(
      `SELECT countIf(is_bot) AS bots, countIf(is_bot AND has_purchase) AS bought,
         avgIf(page_events, is_bot) AS pages, bots / countIf(in_wave) AS share,
         countIf(is_bot AND NOT in_wave) AS elsewhere
       FROM (SELECT *, geo_country = 'SG' AS is_bot,
         started_at BETWEEN '2026-07-08 08:00:00' AND '2026-07-08 20:00:00' AS in_wave
         FROM dm.session WHERE clock = 'right')`,
    );
    expect(row.bots).toBeGreaterThan(1000);
    expect(row.bought).toBe(0);
    expect(row.elsewhere).toBe(0);
    expect(row.pages).toBeGreaterThan(12);
    expect(row.share).toBeCloseTo(0.33, 1);
  },

  "tracker-outage": async () => {
    const row = await rowOf(
      `SELECT avgIf(lost, during) AS inside, avgIf(lost, NOT during) AS outside
       FROM (SELECT has(event_markers, 'location_not_found') AS lost, event_timestamp >= '2026-08-06 09:00:00'
         AND event_timestamp < '2026-08-06 12:00:00' AS during
         FROM dm.event_enriched WHERE NOT has(event_markers, 'skewed_clock'))`,
    );
    expect(row.inside).toBe(1);
    expect(row.outside).toBeLessThan(0.01);
  },

  "late-mobile-sync": async () => {
    const hours = await rowsOf(
      `SELECT count() AS events, avgIf(has(event_markers, 'late_event'), device_type = 'Mobile') AS late
       FROM dm.event_enriched WHERE event_date IN ('2026-10-24', '2026-10-25')
         AND toHour(event_timestamp, 'Europe/Berlin') IN (1, 2, 3) AND event_timestamp > '2026-10-24 12:00:00'
       GROUP BY toHour(event_timestamp, 'Europe/Berlin') AS hour ORDER BY hour`,
    );
    const [one, two, three] = hours.map(({ events = 0 }) => events);
    expect((two ?? 0) / (one ?? 1)).toBeCloseTo(2, 0);
    expect((two ?? 0) / (three ?? 1)).toBeCloseTo(2, 0);
    for (const { late } of hours) expect(late).toBeCloseTo(0.7, 1);
    const other = await rowOf(
      `SELECT avg(has(event_markers, 'late_event')) AS late FROM dm.event_enriched
       WHERE device_type != 'Mobile'`,
    );
    expect(other.late).toBeLessThan(0.01);
  },

  "checkout-bug": async () => {
    const confirmed = (browser: string, when: string) =>
      rowOf(
        `SELECT uniqExactIf(click_id, page_url_path = '/confirmation')
           / uniqExactIf(click_id, page_url_path = '/payment') AS share
         FROM dm.event_enriched WHERE browser_name = 'Safari' AND ${when}
           AND browser_user_agent LIKE '%Version/${browser}.%'`,
      );
    const before = "event_timestamp < '2026-05-07 14:07:00'";
    const after = "event_timestamp >= '2026-05-07 14:07:00'";
    expect((await confirmed("26", before)).share).toBeGreaterThan(0.4);
    expect((await confirmed("26", after)).share).toBeLessThan(0.1);
    expect((await confirmed("18", before)).share).toBeGreaterThan(0.4);
    expect((await confirmed("18", after)).share).toBeGreaterThan(0.4);
  },

  "price-test": async () => {
    const [a, b] = await rowsOf(
      `SELECT uniqExactIf(click_id, page_url_path = '/confirmation')
         / uniqExactIf(click_id, page_url_path = '/payment') AS share
       FROM dm.event_enriched WHERE page_url LIKE '%exp=price.%'
       GROUP BY extract(page_url, 'exp=price[.]([ab])') AS variant ORDER BY variant`,
    );
    // One payment page may be seen several times, so the factor 0.8 of a step is less of a session.
    expect((b?.share ?? 1) / (a?.share ?? 0)).toBeLessThan(0.9);
  },
};

test("every scenario has a test of its effect", () => {
  expect(Object.keys(EFFECTS).toSorted()).toEqual(scenarioNames());
});

describe.each(scenarioNames())("%s", (name) => {
  let manifest: Manifest;
  let reconciliation: Reconciliation;
  beforeAll(async () => {
    ({ manifest, reconciliation } = await run(name));
  });

  test("gives the published digests", () => {
    const digests = reconciliation.digests.filter((line) => TABLES.includes(line.name));
    const found = {
      manifest: manifest.checksum,
      ...Object.fromEntries(digests.map((line) => [line.name, line.digest])),
    };
    if (UPDATES) published[name] = found;
    expect(published[name]).toEqual(found);
  });

  test("shows its effect in the marts", async () => {
    await EFFECTS[name]?.();
  });

  test("has statements that run", async () => {
    for (const query of findScenario(name).queries) {
      expect((await engine.db.rows(query)).length).toBeGreaterThan(0);
    }
  });

  test("accounts for every message, catches every defect, and rejects no session", () => {
    expect(reconciliation.verdict).toBe("accounted");
    for (const line of reconciliation.defects) expect(line).toMatchObject({ missed: 0 });
    expect(manifest.unborn).toBe(0);
  });

  test("passes the checks of its history", async () => {
    const model = modelOf({ manifest });
    expect(model?.doubt).toBeNull();
    expect(model?.config.scenario?.name).toBe(name);
    const results = await checkHistory(engine.db, { liveHandover: readLiveHandover("0"), env: {} });
    expect(results.filter(({ status }) => status === "failed").map(({ detail }) => detail)).toEqual(
      [],
    );
  });

  test("has intervals that contain its truth as often as by chance", async () => {
    const comparisons = await compareTruth(engine.db);
    const inside = comparisons.filter(({ verdict }) => verdict === "inside").length;
    expect(comparisons.length).toBeGreaterThan(80);
    // Effects of one history depend on each other: four deviations.
    expect(inside / comparisons.length).toBeGreaterThan(0.95 - 4 * 0.029);
  });
});
