import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import type { Manifest } from "../../../contract/manifest.ts";
import type { Database } from "../../../contract/ports.ts";
import { statementOf } from "../../../contract/statement.ts";
import type { Truth } from "../../../contract/truth.ts";
import { bundleFiles } from "../../../superset/bundle.ts";
import { transform } from "../../../warehouse/batch/transform.ts";
import { StgPublisher, startEpoch } from "../../../warehouse/loader/stg-publisher.ts";
import { digests } from "../../../warehouse/reconciliation/digests.ts";
import { currentEpoch, prove } from "../../../warehouse/reconciliation/prove.ts";
import { storeSource } from "../../../warehouse/reconciliation/source.ts";
import { applyComments } from "../../../warehouse/schema/comments.ts";
import { ddlFilesOf } from "../../../warehouse/schema/ddl.ts";
import { readQuery } from "../../../warehouse/sql.ts";
import { CHANGES, differences, expectDifference } from "../../engine/schema-changes.ts";
import { openTestEngine, type TestEngine } from "../../support/engine.ts";
import { generateMessages, type Message, toBatch } from "../../support/messages.ts";
import { pythonEnvironment } from "../../support/python.ts";
import { OlderEngine } from "./older-engine.ts";

/** ClickHouse 25.1, a required version, is between the two engines of this test. */
const environment = pythonEnvironment(join(import.meta.dirname, "requirements.txt"));
const NOWHERE = { host: "nowhere", port: 8123, isSecure: false, user: "bi" };
const dataset = z.object({
  main_dttm_col: z.string(),
  columns: z.array(z.object({ column_name: z.string(), expression: z.string().nullable() })),
});
const reason = "missing" in environment ? environment.missing : "";

describe.skipIf("missing" in environment)(`ClickHouse 24.8 ${reason}`, () => {
  const directory = mkdtempSync(join(tmpdir(), "older-"));
  let older: OlderEngine;
  let engine: TestEngine;
  let messages: Message[];
  let manifest: Manifest;

  beforeAll(async () => {
    older = new OlderEngine("python" in environment ? environment.python : "", directory);
    for (const file of ddlFilesOf("all")) {
      for (const statement of file.statements) await older.run(statement);
    }
    await applyComments(older);
    engine = await openTestEngine();
    ({ messages, manifest } = await generateMessages("older", 4));
  });
  afterAll(async () => {
    await older.close();
    await engine[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  test("is older than 25.1", async () => {
    const [row] = await older.rows<{ version: string }>("SELECT version() AS version");
    expect(row?.version).toMatch(/^24\.8\./);
  });

  test("has no differences from the recorded schema", async () => {
    expect(await differences(older)).toEqual([]);
  });

  test.each(Object.entries(CHANGES))("%s is found", (_, change) => expectDifference(older, change));

  test("gives the same layers as the current engine: two loads, a new epoch, a full refresh", async () => {
    expect(await loadThrice(older, messages)).toEqual(await loadThrice(engine.db, messages));
  });

  test("joins the tables of the integrity gate in the order of their keys, without holding them", async () => {
    const insert = readQuery("etl/gate/check_dds_integrity.sql");
    const select = insert.slice(insert.indexOf("WITH"));
    for (const db of [older, engine.db]) {
      const plan = await db.rows<{ explain: string }>(`EXPLAIN actions = 1 ${select}`);
      const reads = plan.filter(({ explain }) => /Read ?type: InOrder/i.test(explain));
      expect(reads, JSON.stringify(plan)).toHaveLength(2);
    }
  });

  test("reports the same state of the layers to Prometheus", async () => {
    const messagesOf = (db: Database) =>
      db.rows<{ name: string }>(
        "SELECT name, value, labels FROM dm_internal.v_pipeline_metrics WHERE name LIKE 'pipeline_%messages' OR name LIKE '%offset'",
      );
    const found = await messagesOf(older);
    expect(new Set(found.map(({ name }) => name)).size).toBe(4);
    expect(found).toEqual(await messagesOf(engine.db));
  });

  test.each(["session", "v_session_overview", "v_events_enriched"])(
    "counts the hours of a chart of %s that Superset truncates to days",
    async (table) => {
      const file = bundleFiles(NOWHERE).get(`datasets/marts/${table}.yaml`) ?? "";
      const { main_dttm_col: time, columns } = dataset.parse(parse(file));
      const column = columns.find(({ column_name }) => column_name === time)?.expression;
      for (const db of [older, engine.db]) {
        const [hour] = await db.rows<{ start: string; n: number }>(
          `SELECT toString(toStartOfHour(toTimeZone(${time}, 'UTC'))) AS start, toUInt32(count()) AS n
           FROM dm.${table} GROUP BY start ORDER BY n DESC, start LIMIT 1`,
        );
        const start = `toDateTime('${hour?.start}', 'UTC')`;
        // clickhouse-connect uses the column's own name as the alias, also in GROUP BY.
        const drawn = await db.rows<{ n: number }>(
          `SELECT toStartOfDay(toDateTime(${column})) AS \`${time}\`, toUInt32(count()) AS n FROM dm.${table}
           WHERE ${column} >= ${start} AND ${column} < ${start} + INTERVAL 1 HOUR GROUP BY \`${time}\``,
        );
        expect(drawn.map(({ n }) => n)).toEqual([hour?.n]);
        expect(hour?.n).toBeGreaterThan(0);
      }
    },
  );

  test("puts the same estimates beside a published truth", async () => {
    const effect = {
      sessions: "first",
      measure: "purchase",
      dimension: "all",
      segment: "all",
    } as const;
    const truth: Truth = {
      behaviour: "shop",
      parameters: {},
      sessions_until: manifest.t_end,
      effects: [
        { ...effect, truth: 0.1 },
        {
          ...effect,
          measure: "home",
          dimension: "device",
          segment: "Computer",
          minus: "Mobile",
          truth: 0,
        },
        {
          ...effect,
          window: { from: manifest.t0, until: "2026-01-01T09:02:00.000000Z" },
          truth: 0.2,
        },
        {
          ...effect,
          sessions: "any",
          measure: "start",
          dimension: "weekday",
          segment: "thu",
          truth: 0.9,
        },
      ],
    };
    const found: unknown[] = [];
    for (const db of [older, engine.db]) {
      const source = {
        name: "test",
        statement: statementOf(manifest),
        manifest: { ...manifest, truth },
      };
      await storeSource(db, await currentEpoch(db), source);
      await transform(db, { fullRefresh: false, waitSeconds: 1 });
      const rows = await db.rows("SELECT * FROM dm.truth ORDER BY position");
      expect(rows).toHaveLength(truth.effects.length);
      found.push(rows);
    }
    expect(found[0]).toEqual(found[1]);
  });

  test("gives the same reconciliation", async () => {
    const ledger = await prove(older);
    expect(ledger.lost).toEqual([]);
    expect(ledger.layers.filter((line) => line.expected !== line.found)).toEqual([]);
  });

  test("stores a row of `pipeline ingest`", async () => {
    for (const { path, statements } of ddlFilesOf("service")) {
      if (!path.startsWith("ddl/10_stg")) continue;
      for (const statement of statements) await older.run(statement);
    }
    // 24.8 would read the rows of VALUES from its standard input, which never ends.
    await older.run(
      `INSERT INTO stg.queue (_topic, _partition, _offset, milliseconds, _key, raw, \`_headers.value\`)
       SELECT 'geo_events', 1, 2, 3, 'k', '{}', ['9', '2026-01-01 00:00:00.5']`,
    );
    const rows = await older.rows(
      `SELECT _topic, _partition, _offset, toString(_timestamp) AS time, _key, raw,
         toString(emitted_at) AS emitted
       FROM stg.raw WHERE epoch = 9`,
    );
    expect(rows).toEqual([
      {
        _topic: "geo_events",
        _partition: 1,
        _offset: 2,
        time: "1970-01-01 00:00:00.003",
        _key: "k",
        raw: "{}",
        emitted: "2026-01-01 00:00:00.500000",
      },
    ]);
  });
});

async function loadThrice(db: Database, messages: readonly Message[]) {
  const half = Math.floor(messages.length / 2);
  const results: unknown[] = [];
  for (const [part, fullRefresh, newEpoch] of [
    [messages.slice(0, half), true, false],
    [messages.slice(half), false, false],
    [messages, false, true],
    [[], true, false],
  ] as const) {
    if (newEpoch) await startEpoch(db, "test");
    const publisher = await StgPublisher.open(db);
    await publisher.publish(toBatch(part));
    await publisher.close();
    await transform(db, { fullRefresh, waitSeconds: 1 });
    results.push(await digests(db));
  }
  return results;
}
