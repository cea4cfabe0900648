import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { emptyStatement } from "../../../contract/statement.ts";
import { STREAMS } from "../../../contract/streams.ts";
import { hashPayloads } from "../../../generator/payload-hash.ts";
import { checkHistory } from "../../../warehouse/history/check.ts";
import { currentEpoch } from "../../../warehouse/sources/epoch.ts";
import { load } from "../../support/pipeline.ts";
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
    const said = JSON.stringify({ kind: "load", statement: emptyStatement(), isFinal: true });
    for (const [text, detail] of [
      ['{"version": 2}', "is damaged: manifest.version: "],
      ["not JSON", "is not valid JSON"],
    ] as const) {
      await engine.db.run("TRUNCATE TABLE stg.manifest");
      await engine.db.run(
        "INSERT INTO stg.manifest (epoch, source, statement, manifest) SELECT {epoch:UInt64}, 's', {said:String}, {text:String}",
        { epoch, said, text },
      );
      await alone(detail);
      const hint = expect.stringContaining("data --replace");
      expect(await check()).toMatchObject([{ id: "manifest", hint }]);
    }
  });
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
