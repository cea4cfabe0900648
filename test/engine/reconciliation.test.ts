import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Manifest } from "../../contract/manifest.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import type { Reconciliation } from "../../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../../warehouse/reconciliation/render.ts";
import { currentEpoch } from "../../warehouse/sources/epoch.ts";
import { finishedHistory } from "../../warehouse/sources/source.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import { keepAll } from "../support/engine.ts";
import { generateMessages, type Message } from "../support/messages.ts";
import { load, newEpoch, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
let messages: Message[];
let manifest: Manifest;
let restore: () => Promise<void>;
beforeAll(async () => {
  ({ messages, manifest } = await generateMessages("reconciliation", 5));
  await publish(engine.db, messages);
  await storeManifest();
  await load(engine.db, "full");
  restore = await keepAll(engine.db);
});
beforeEach(() => restore());

async function storeManifest(): Promise<void> {
  const epoch = await currentEpoch(engine.db);
  await storeSource(engine.db, epoch, finishedHistory("test", manifest));
}

test("accounts for every message and finds every injected defect", async () => {
  const reconciliation = await prove(engine.db);
  expect(reconciliation.unaccounted).toBe(0);
  expect(reconciliation.messages.reduce((sum, line) => sum + line.raw, 0)).toBe(messages.length);
  expect(reconciliation.checksum).toBe(manifest.checksum);
  const injected = reconciliation.defects.filter((line) => line.injected > 0);
  expect(injected.length).toBeGreaterThan(4);
  for (const line of reconciliation.defects) {
    expect(line).toMatchObject({ caught: line.injected, missed: 0, falseAlarms: 0 });
  }
});

/** Messages that must have each marker, found in the payloads and not by the SQL. */
function expectedIds() {
  const parsed = messages.flatMap((message) => {
    try {
      return [{ ...message, fields: JSON.parse(message.value) as Record<string, unknown> }];
    } catch {
      return [];
    }
  });
  const of = (stream: string) => parsed.filter((message) => message.stream === stream);
  const ids = (rows: typeof parsed, key: string) => new Set(rows.map(({ fields }) => fields[key]));
  const located = ids(of("location"), "event_id");
  const devices = ids(of("device"), "click_id");
  const browser = of("browser");
  const seen = new Map<string, number>();
  for (const { fields } of browser) {
    const id = String(fields.event_id);
    seen.set(id, (seen.get(id) ?? 0) + 1);
  }
  const visits = [...ids([...browser, ...of("geo")], "click_id")];
  return {
    location_not_found: [...seen.keys()].filter((id) => !located.has(id)),
    device_missing: visits.filter((id) => !devices.has(id)),
    duplicate: [...seen].filter(([, count]) => count > 1).map(([id]) => id),
    bad_geo: of("geo")
      .filter(({ fields }) => isBadGeo(fields))
      .map(({ fields }) => fields.click_id),
  };
}

const isBadGeo = (fields: Record<string, unknown>): boolean =>
  !(Math.abs(Number(fields.geo_latitude)) <= 90) ||
  !(Math.abs(Number(fields.geo_longitude)) <= 180) ||
  !/^[A-Z]{2}$/.test(String(fields.geo_country));

const MARKED = {
  location_not_found:
    "SELECT event_id AS id FROM dds.event WHERE has(markers, 'location_not_found')",
  device_missing: "SELECT click_id AS id FROM dds.click WHERE has(markers, 'device_missing')",
  duplicate: "SELECT event_id AS id FROM dds.event WHERE duplicates > 0",
  bad_geo: `SELECT JSONExtractString(raw, 'click_id') AS id FROM ods.geo_event_errors
    WHERE hasAny(markers, ['bad_latitude', 'bad_longitude', 'country_missing'])`,
} as const;

test.each(Object.keys(MARKED) as (keyof typeof MARKED)[])(
  "%s marks exactly the defective records, not only as many",
  async (kind) => {
    const found = await engine.db.rows<{ id: string }>(MARKED[kind]);
    const expected = expectedIds()[kind];
    expect(expected.length).toBeGreaterThan(0);
    expect(found.map(({ id }) => id).sort()).toEqual([...expected].sort());
  },
);

test("one typed row is lost and another duplicated: the counts agree, the rows do not", async () => {
  await engine.db.run("DELETE FROM ods.location_event WHERE _offset = 3");
  await engine.db.run(
    "INSERT INTO ods.location_event SELECT * FROM ods.location_event WHERE _offset = 4",
  );
  const { messages: lines, unaccounted, lost } = await prove(engine.db);
  expect(lines.every((line) => line.raw === line.typed + line.rejected)).toBe(true);
  expect(unaccounted).toBeGreaterThan(0);
  expect(lost).toMatchObject([{ stream: "location", offset: 3 }]);
});

describe("the oldest raw rows are missing", () => {
  const forget = () =>
    engine.db.run("DELETE FROM stg.raw WHERE _topic = 'browser_events' AND _offset < 20");
  const typedDaysAgo = async (days: number) => {
    for (const table of ["browser_event", "browser_event_errors"]) {
      await engine.db.run(
        `ALTER TABLE ods.${table} UPDATE ingested_at = now64(6) - INTERVAL ${days} DAY WHERE _offset < 20
         SETTINGS mutations_sync = 2`,
      );
    }
  };

  test("past their time to live they stay accounted for", async () => {
    await forget();
    await typedDaysAgo(31);
    expect((await prove(engine.db)).verdict).toBe("accounted");
  });

  test("before that they are lost from stg", async () => {
    await forget();
    await typedDaysAgo(29);
    const { messages: lines } = await prove(engine.db);
    const [line] = lines.filter(({ unaccounted }) => unaccounted > 0);
    expect(line).toMatchObject({ stream: "browser" });
    expect((line?.typed ?? 0) + (line?.rejected ?? 0) - (line?.raw ?? 0)).toBe(20);
  });
});

test("two loads of the same data in a row are accounted for as one", async () => {
  await newEpoch(engine.db);
  await publish(engine.db, messages);
  await storeManifest();
  await load(engine.db, "full");
  const reconciliation = await prove(engine.db);
  expect(reconciliation.unaccounted).toBe(0);
  for (const line of reconciliation.defects) expect(line.caught).toBe(line.injected);
});

describe("an earlier epoch", () => {
  let first = 0;
  beforeEach(async () => {
    first = await currentEpoch(engine.db);
    await newEpoch(engine.db);
    await publish(engine.db, messages);
    await storeManifest();
    await load(engine.db, "incremental");
  });
  const linesOf = ({ messages: lines }: Reconciliation) =>
    lines.filter(({ epoch }) => epoch === first);

  test("is accounted for beside the current one, and shown", async () => {
    const reconciliation = await prove(engine.db);
    expect(reconciliation.verdict).toBe("accounted");
    expect(linesOf(reconciliation).map(({ generated, raw }) => (generated ?? 0) - raw)).toEqual([
      0, 0, 0, 0,
    ]);
    expect(renderReconciliation(reconciliation)).toMatch(
      new RegExp(`${first} │ browser .* accounted`),
    );
  });

  test("has messages that no load has taken", async () => {
    await engine.db.run("DELETE FROM stg.manifest WHERE epoch = {first:UInt64}", { first });
    await engine.db.run(
      `INSERT INTO stg.raw SELECT * REPLACE (stored._offset + 100000 AS _offset)
       FROM stg.raw AS stored WHERE _topic = 'browser_events' AND stored.epoch = {first:UInt64} LIMIT 7`,
      { first },
    );
    const reconciliation = await prove(engine.db);
    expect(reconciliation).toMatchObject({ verdict: "incomplete", unaccounted: 0 });
    expect(reconciliation.waiting).toMatchObject([
      { layer: "ods", stream: "browser", epoch: first, count: 7, step: "load_ods" },
    ]);
    expect(renderReconciliation(reconciliation)).toContain(
      `7 browser messages of epoch ${first} are not in ods yet`,
    );
    await load(engine.db, "incremental");
    expect((await prove(engine.db)).verdict).toBe("accounted");
  });
});
