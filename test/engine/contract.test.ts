import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layerOf } from "../../contract/layers.ts";
import { MARKERS } from "../../contract/markers.ts";
import { EVENT_TYPES, STREAMS, streams } from "../../contract/streams.ts";
import { SWEEPS } from "../../warehouse/batch/sweep.ts";
import { ddlFiles } from "../../warehouse/ddl-files.ts";
import { readDeclared } from "../../warehouse/declared.ts";
import { recordSchema } from "../../warehouse/schema/record.ts";
import { readStatements, SQL_ROOT } from "../../warehouse/sql.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine({ withSchema: false });

test("sql/schema.json equals what sql/ddl creates (scripts/record-schema.ts records it)", async () => {
  expect(await recordSchema(engine.db)).toEqual(readDeclared());
});

describe.each(STREAMS)("the %s stream", (stream) => {
  const { table, topic } = streams[stream];
  const columnsOf = async (name: string) => {
    const rows = await engine.db.rows<{ name: string; type: string }>(
      "SELECT name, type FROM system.columns WHERE database = 'ods' AND table = {name:String}",
      { name },
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.type]));
  };

  test("keeps broker metadata, payload and reason of its errors", async () => {
    expect(await columnsOf(`${table}_errors`)).toMatchObject({
      error_reason: "String",
      raw: "String",
      epoch: "UInt64",
      _topic: "LowCardinality(String)",
      _partition: "Int32",
      _offset: "Int64",
      _key: "String",
    });
  });

  test("has one topic, named after it", () => {
    expect(topic).toBe(`${stream}_events`);
  });
});

test("the markers in the SQL equal those of the contract", () => {
  const texts = [
    ...[...STREAMS, "typed"].map((name) => readStatements(`etl/load_ods/${name}.sql`).join()),
    ...["event", "click"].map((table) => readStatements(`etl/dds/${table}.sql`).join()),
  ];
  const lists = texts.flatMap((text) => [
    ...text.matchAll(/\[([^\]]*)\] AS marker_names/g),
    ...text.matchAll(/(?:\[\], |= 0, |= 'erased', )\[('[a-z_]+')\]/g),
  ]);
  const written = lists.flatMap((match) => [...(match[1] ?? "").matchAll(/'([a-z_]+)'/g)]);
  const names = new Set([...written.map((match) => match[1]), ...SWEEPS]);
  expect([...names].toSorted()).toEqual(MARKERS.toSorted());
});

test("the page events in the SQL equal those of the contract", () => {
  const texts = globSync("{etl,ddl,checks,history}/**/*.sql", { cwd: SQL_ROOT }).map((path) =>
    readFileSync(join(SQL_ROOT, path), "utf8"),
  );
  const lists = texts.flatMap((text) => [
    ...text.matchAll(/event_type IN \((.*?'pageview'.*?)\)/g),
  ]);
  expect(lists.length).toBeGreaterThan(5);
  for (const [, list = ""] of lists) {
    expect(list.replaceAll("'", "").split(", ")).toEqual([...EVENT_TYPES]);
  }
});

test("every schema file names its tier and creates only in its layer", () => {
  for (const file of ddlFiles().slice(1)) {
    const layer = /^ddl\/\d\d_([a-z]+)\//.exec(file.path)?.[1];
    for (const statement of file.statements) {
      const object =
        /(?:IF NOT EXISTS|ALTER TABLE|REPLACE FUNCTION) ([a-z]+)[._]/.exec(statement)?.[1] ?? "";
      expect(layerOf(object), `${file.path}: ${object}`).toBe(layer);
    }
  }
});
