import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { STREAMS } from "../../../contract/streams.ts";
import { checksumOf } from "../../../generator/canonical.ts";
import { hashPayloads } from "../../../generator/payload-hash.ts";
import { checkHistory } from "../../../warehouse/history/check.ts";
import { currentEpoch } from "../../../warehouse/sources/epoch.ts";
import { clearAll } from "../../support/engine.ts";
import { load, publish } from "../../support/pipeline.ts";
import { useTestEngine } from "../../support/use-engine.ts";
import { type History, makeHistory, reload, storeManifest } from "./generate.ts";

const engine = useTestEngine();
let history: History;
beforeAll(async () => {
  history = await makeHistory();
});
beforeEach(() => reload(engine.db, history.backfill, history.manifest));

const check = () => checkHistory(engine.db, { liveHandover: false, env: {} });

/** Ids of the checks with a status after a change of the data. */
async function resultsOf(sabotage: string | readonly string[]) {
  for (const sql of [sabotage].flat()) await engine.db.run(sql);
  return byStatus(await check());
}

function byStatus(results: Awaited<ReturnType<typeof check>>) {
  const ids = (status: string) => results.filter((r) => r.status === status).map((r) => r.id);
  return {
    failed: ids("failed"),
    skipped: ids("skipped"),
    ok: ids("ok"),
    detail: (id: string) => results.find((result) => result.id === id)?.detail ?? "",
  };
}

const update = (table: string, change: string, where: string) =>
  `ALTER TABLE ${table} UPDATE ${change} WHERE ${where} SETTINGS mutations_sync = 2`;

test("a valid backfill passes every check, with its numbers", async () => {
  const { failed, skipped, ok, detail } = await resultsOf([]);
  expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  expect(ok).toEqual([
    "manifest",
    "ods is not empty",
    "events in [T0, T_end)",
    ...STREAMS.map((stream) => `counts of ${stream}`),
    ...STREAMS.map((stream) => `digest of ${stream}`),
    "users < sessions < events",
    "funnel narrows",
    "layers agree",
  ]);
  expect(detail("manifest")).toContain(history.manifest.checksum);
  expect(detail("digest of geo")).toContain(history.manifest.digests.geo);
});

describe("fails if", () => {
  test("a typed row is lost", async () => {
    const { failed, detail } = await resultsOf("DELETE FROM ods.browser_event WHERE _offset = 7");
    expect(failed).toEqual(["counts of browser", "layers agree"]);
    expect(detail("counts of browser")).toContain("days that differ: 2026-01-01");
  });

  test("a typed row is duplicated", async () => {
    const { failed } = await resultsOf(
      "INSERT INTO ods.geo_event SELECT * FROM ods.geo_event WHERE _offset = 5",
    );
    expect(failed).toEqual(["counts of geo"]);
  });

  test("a raw message is missing, or duplicated with its own offset", async () => {
    const [first, ...others] = history.backfill;
    await reload(engine.db, others, history.manifest);
    expect((await resultsOf([])).failed).toContain("counts of browser");
    if (first === undefined) throw new Error("the history holds no message");
    await reload(engine.db, [first, ...history.backfill], history.manifest);
    expect((await resultsOf([])).failed).toEqual(["counts of browser", "digest of browser"]);
  });

  test("one character of a payload is changed", async () => {
    const { failed } = await resultsOf(
      update(
        "stg.raw",
        "raw = replaceOne(raw, 'home', 'hOme')",
        "_topic = 'location_events' AND _offset = 0",
      ),
    );
    expect(failed).toEqual(["digest of location"]);
  });

  test("two messages are swapped", async () => {
    const swap = "raw = (SELECT raw FROM stg.kept WHERE _offset =";
    const previous = await engine.db.rows<{ raw: string }>(
      "SELECT raw FROM stg.raw WHERE _topic = 'geo_events' AND _offset IN (0, 1) ORDER BY _offset",
    );
    expect(previous[0]).not.toEqual(previous[1]);
    const { failed } = await resultsOf([
      "CREATE TABLE stg.kept ENGINE = Memory AS SELECT * FROM stg.raw WHERE _topic = 'geo_events' AND _offset IN (0, 1)",
      update("stg.raw", `${swap} 1)`, "_topic = 'geo_events' AND _offset = 0"),
      update("stg.raw", `${swap} 0)`, "_topic = 'geo_events' AND _offset = 1"),
      "DROP TABLE stg.kept",
    ]);
    expect(failed).toEqual(["digest of geo"]);
  });

  test.each([
    ["before T0", "2026-01-01 07:59:59.999999"],
    ["at T_end, which does not belong to the interval", "2026-01-01 10:00:00.000000"],
  ])("an event is %s", async (_, time) => {
    const where =
      "_offset = (SELECT min(_offset) FROM ods.browser_event WHERE empty(markers) AND _offset > 9)";
    const { failed, detail } = await resultsOf(
      update("ods.browser_event", `event_timestamp = toDateTime64('${time}', 6, 'UTC')`, where),
    );
    expect(failed).toEqual(["events in [T0, T_end)"]);
    expect(detail("events in [T0, T_end)")).toContain(" 1 outside ");
  });

  test("live generation continued although none is expected", async () => {
    await reload(engine.db, [...history.backfill, ...history.live], history.manifest);
    const { failed, detail } = await resultsOf([]);
    expect(failed).toEqual(["events in [T0, T_end)"]);
    expect(detail("events in [T0, T_end)")).toContain("CHECK_LIVE_SEAM=1");
  });

  test("the visitors are not fewer than the sessions", async () => {
    const one = "click_id = toUUID('00000000-0000-4000-8000-000000000001')";
    const { failed, detail } = await resultsOf(update("ods.browser_event", one, "true"));
    expect(failed).toContain("users < sessions < events");
    expect(detail("users < sessions < events")).toContain(" 1 sessions");
  });

  test("a later stage of the funnel has more sessions", async () => {
    const { failed, detail } = await resultsOf(
      update("dm.session", "stages_seen = ['product']", "has(stages_seen, 'product')"),
    );
    expect(failed).toEqual(["funnel narrows"]);
    expect(detail("funnel narrows")).toContain("exceeds the previous stage: product");
  });

  test("an event is missing in dds", async () => {
    const { failed } = await resultsOf(
      "DELETE FROM dds.event WHERE event_id IN (SELECT event_id FROM dds.event LIMIT 1)",
    );
    expect(failed).toEqual(["layers agree"]);
  });

  test("nothing was loaded into ods", async () => {
    await clearAll(engine.db);
    await publish(engine.db, history.backfill);
    await storeManifest(engine.db, history.manifest);
    const { failed } = await resultsOf([]);
    expect(failed).toContain("ods is not empty");
    expect(failed).toContain("counts of device");
    expect(failed).toContain("funnel narrows");
  });
});

describe("an empty manifest ends the check at once", () => {
  const alone = async (detail: string) => {
    const { failed, ok, detail: detailOf } = await resultsOf([]);
    expect({ failed, ok }).toEqual({ failed: ["manifest"], ok: [] });
    expect(detailOf("manifest")).toContain(detail);
  };

  test("none", async () => {
    await reload(engine.db, history.backfill, undefined);
    await alone("no manifest is stored");
  });
  test("two", async () => {
    await storeManifest(engine.db, history.manifest, "another");
    await alone("2 manifests are stored");
  });
  test("changed after its checksum was computed", async () => {
    await reload(engine.db, history.backfill, {
      ...history.manifest,
      visits: history.manifest.visits + 1,
    });
    await alone("does not match the content");
  });
  test("of an unknown form", async () => {
    await reload(engine.db, history.backfill, undefined);
    const epoch = await currentEpoch(engine.db);
    for (const [text, detail] of [
      ['{"version": 2}', "version"],
      ["not JSON", "is invalid"],
    ] as const) {
      await engine.db.run("TRUNCATE TABLE stg.manifest");
      await engine.db.run(
        "INSERT INTO stg.manifest (epoch, source, statement, manifest) SELECT {epoch:UInt64}, 's', '{}', {text:String}",
        { epoch, text },
      );
      await alone(detail);
    }
  });
});

test("a manifest with a valid checksum over wrong counts fails the counts", async () => {
  const counts = { ...history.manifest.counts, geo: history.manifest.counts.geo + 1 };
  const content = { ...history.manifest, counts };
  await reload(engine.db, history.backfill, { ...content, checksum: checksumOf(content) });
  expect((await resultsOf([])).failed).toEqual(["counts of geo"]);
});

describe("an undecidable check is skipped with its reason, and never passes", () => {
  test("payloads past the time to live of stg", async () => {
    const { failed, skipped, detail } = await resultsOf(
      "DELETE FROM stg.raw WHERE _topic = 'browser_events' AND _offset < 20",
    );
    expect({ failed, skipped }).toEqual({ failed: [], skipped: ["digest of browser"] });
    expect(detail("digest of browser")).toContain("20 payloads");
  });
});

test("messages without an emission time are compared with the sums", async () => {
  const timeless = history.backfill.map((message) => ({ ...message, emittedAt: null }));
  await reload(engine.db, timeless, history.manifest);
  const { failed, skipped, detail } = await resultsOf([]);
  expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  expect(detail("digest of geo")).toContain(`sum up to ${history.manifest.sums?.geo}`);
  expect(detail("digest of geo")).toContain("have no emission time");
  const change = update(
    "stg.raw",
    "raw = concat(raw, ' ')",
    "_topic = 'geo_events' AND _offset = 0",
  );
  expect((await resultsOf(change)).failed).toEqual(["digest of geo"]);
});

describe("over several partitions", () => {
  /** Distributes the raw rows over three partitions by key, as a broker does. */
  const spread = async () => {
    await engine.db.run("CREATE TABLE stg.kept ENGINE = Memory AS SELECT * FROM stg.raw");
    await engine.db.run("TRUNCATE TABLE stg.raw");
    await engine.db.run(
      `INSERT INTO stg.raw SELECT * REPLACE (
         toInt32(cityHash64(_key) % 3) AS _partition,
         row_number() OVER (PARTITION BY _topic, cityHash64(_key) % 3 ORDER BY _offset) - 1 AS _offset)
       FROM stg.kept`,
    );
    await engine.db.run("DROP TABLE stg.kept");
    for (const stream of STREAMS) {
      await engine.db.run(`TRUNCATE TABLE ods.${stream}_event`);
      await engine.db.run(`TRUNCATE TABLE ods.${stream}_event_errors`);
    }
    await engine.db.run("TRUNCATE TABLE ods.load_range");
    await engine.db.run("TRUNCATE TABLE ods.load_commit");
    await load(engine.db, "full");
  };

  test("restores the order of emission", async () => {
    await spread();
    const { failed, skipped } = await resultsOf([]);
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  });

  test("finds a changed payload", async () => {
    await spread();
    const { failed } = await resultsOf(
      update(
        "stg.raw",
        "raw = concat(raw, ' ')",
        "_topic = 'device_events' AND _partition = 1 AND _offset = 0",
      ),
    );
    expect(failed).toEqual(["digest of device"]);
  });

  /** Times of an imported dataset, whose clock has a resolution of a minute. */
  const toMinutes = () =>
    history.backfill.map((message) => ({
      ...message,
      emittedAt:
        message.emittedAt === null ? null : message.emittedAt - (message.emittedAt % 60_000_000),
    }));

  test("compares the sums if times are too coarse to order them", async () => {
    await reload(engine.db, toMinutes(), history.manifest);
    // One partition keeps the order at any resolution.
    expect((await resultsOf([])).detail("digest of browser")).toContain(
      history.manifest.digests.browser,
    );
    await spread();
    const { failed, skipped, detail } = await resultsOf([]);
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
    expect(detail("digest of browser")).toContain(`sum up to ${history.manifest.sums?.browser}`);
    expect(detail("digest of browser")).toContain("order across 3 partitions is unknown");
  });

  test("still finds a changed payload, and one in another's place", async () => {
    await reload(engine.db, toMinutes(), history.manifest);
    await spread();
    const one = "_partition = 1 AND _offset = 0";
    const other = `(SELECT raw FROM stg.raw WHERE _topic = 'browser_events' AND _partition = 2 AND _offset = 0)`;
    const { failed } = await resultsOf([
      update("stg.raw", "raw = concat(raw, ' ')", `_topic = 'device_events' AND ${one}`),
      update("stg.raw", `raw = ${other}`, `_topic = 'browser_events' AND ${one}`),
    ]);
    expect(failed).toEqual(["digest of browser", "digest of device"]);
  });
});

test("the engine's sum equals the generator's for any bytes", async () => {
  const payloads = [
    "",
    "a",
    "ab",
    "abc",
    "abcd",
    "abcde",
    "ü",
    "𝄞€",
    "a\nb",
    "\0\u007f",
    "x".repeat(999),
  ];
  const [row] = await engine.db.rows<{ sum: string }>(
    `SELECT toString(sum(toUInt64(CRC32(raw)) * 4294967296 + murmurHash3_32(raw))) AS sum
     FROM (SELECT arrayJoin({payloads:Array(String)}) AS raw)`,
    { payloads },
  );
  expect(row?.sum).toBe(String(hashPayloads(payloads).sum));
});
