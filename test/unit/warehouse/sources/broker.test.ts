import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { announcement, publishedSchema, type SourceRecord } from "../../../../contract/source.ts";
import { emptyStatement, statementOf } from "../../../../contract/statement.ts";
import { cleanRecord } from "../../../../generator/operations/record.ts";
import { generatorOf } from "../../../../warehouse/sources/broker.ts";

const SAMPLE = join(import.meta.dirname, "../../../../data/sample/manifest.json");
const { manifest } = JSON.parse(readFileSync(SAMPLE, "utf8"));
const statement = statementOf(manifest);

const lost = { kind: "generator", isFinal: false, lacksState: true } as const;

test.each<[string, object, SourceRecord]>([
  ["an announcement", announcement, { ...lost, statement: emptyStatement() }],
  ["a manifest", manifest, { ...lost, statement, manifest }],
  ...[{ kind: "load", statement, isFinal: true } as const].map(
    (load): [string, object, SourceRecord] => ["a load", load, load],
  ),
])("%s is the record of a source", (_, value, expected) => {
  expect(publishedSchema.parse(value)).toEqual(expected);
});

test("the state of a generator says what it has sent; without one, the manifest does", () => {
  const record = publishedSchema.parse(manifest);
  expect(generatorOf("dev", record, undefined)).toEqual({ name: "generator dev", ...record });
  const state = JSON.stringify({ ...cleanRecord(), statement: emptyStatement() });
  const { lacksState: _, ...known } = record;
  expect(generatorOf("dev", record, state)).toEqual({
    ...{ name: "generator dev", ...known },
    statement: emptyStatement(),
  });
});
