import type { Admin } from "@platformatic/kafka";
import { beforeEach, expect, test, vi } from "vitest";
import type { Database } from "../../../../contract/ports.ts";
import { announcement, publishedSchema, type SourceRecord } from "../../../../contract/source.ts";
import { emptyStatement } from "../../../../contract/statement.ts";
import { sourcesAtBroker, storeLastSources } from "../../../../warehouse/sources/broker.ts";
import { fakeDatabase } from "../reconciliation/fake-database.ts";

const EPOCH = 6;
/** Records in the topic of manifests by key; the topic of states is empty. */
let records: Map<string, SourceRecord>;

vi.mock("../../../../kafka/epoch.ts", () => ({ readEpoch: async () => ({ epoch: EPOCH }) }));
vi.mock("../../../../kafka/epoch-writer.ts", () => ({ registerEpoch: async () => true }));
vi.mock("../../../../kafka/open-transactions.ts", () => ({ waitForDecidedRanges: async () => [] }));
vi.mock("../../../../kafka/read.ts", () => ({ readLatest: async () => undefined }));
vi.mock("../../../../kafka/sources.ts", () => ({ readSourceRecords: async () => records }));

const load = (isFinal: boolean): SourceRecord => ({
  kind: "load",
  statement: emptyStatement(),
  isFinal,
});

beforeEach(() => {
  records = new Map([
    ["dev", publishedSchema.parse(announcement)],
    ["ended", load(true)],
    ["interrupted", load(false)],
  ]);
});

const said = JSON.stringify({ ...load(false), kind: "generator" });
/** A database with the statements of these sources. */
const databaseWith = (...sources: readonly string[]) =>
  fakeDatabase((sql) =>
    sql.includes("stg.manifest")
      ? sources.map((source) => ({ epoch: EPOCH, source, statement: said, manifest: "" }))
      : [{ epoch: EPOCH }],
  ).db;

test.each([
  ["unless the database has a statement", ["generator dev"], ["ended", "interrupted"]],
  ["if the database has none", ["other"], ["generator dev", "ended", "interrupted"]],
])("a generator without state counts with its manifest %s", async (_, stored, expected) => {
  const found = await sourcesAtBroker(databaseWith(...stored), {} as Admin);
  expect(found.map(({ name }) => name)).toEqual(expected);
});

test.each([
  ["nobody publishes", true, { ended: true, interrupted: false }],
  ["others publish", false, { ended: false, interrupted: false }],
])("a load that was interrupted stays unfinished while %s", async (_, isFinal, expected) => {
  const stored: [string, boolean][] = [];
  const db: Database = {
    ...databaseWith(),
    insertTsv: async (_table, _columns, rows) => {
      for await (const row of rows) {
        const [, name = "", statement = ""] = row.toString().split("\t");
        stored.push([name, JSON.parse(statement).isFinal]);
      }
    },
  };
  await storeLastSources(db, {} as Admin, isFinal);
  expect(Object.fromEntries(stored)).toEqual(expected);
});
