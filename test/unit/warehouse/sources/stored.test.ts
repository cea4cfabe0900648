import { expect, test } from "vitest";
import type { SourceRecord } from "../../../../contract/source.ts";
import {
  readAllSources,
  readEverySource,
  readSources,
} from "../../../../warehouse/sources/stored.ts";
import { fakeDatabase } from "../reconciliation/fake-database.ts";
import { source } from "../reconciliation/sources.ts";

/** A row of stg.manifest. */
function row(epoch: number, name: string, more: Partial<SourceRecord> = {}) {
  const { name: _, ...said } = source(name, { geo: epoch }, more);
  return { ...{ epoch, source: name, manifest: "" }, statement: JSON.stringify(said) };
}

const rows = [row(1, "a"), row(2, "b", { kind: "generator", isFinal: false }), row(2, "c")];

test("stored sources are read by epoch, in the order of storage", async () => {
  const { db } = fakeDatabase(() => rows);
  const sources = await readAllSources(db);
  expect([...sources.keys()]).toEqual([1, 2]);
  expect(sources.get(1)).toEqual([source("a", { geo: 1 })]);
  expect(await readSources(db, 2)).toEqual([
    source("b", { geo: 2 }, { kind: "generator", isFinal: false }),
    source("c", { geo: 2 }),
  ]);
  expect(await readSources(db, 3)).toEqual([]);
});

test("newer sources replace those of their name in their epoch alone", async () => {
  const { db } = fakeDatabase(() => [...rows, row(1, "c")]);
  const newer = [source("c", { geo: 9 }), source("d", {})];
  const ofEpoch = [source("b", { geo: 2 }, { kind: "generator", isFinal: false }), ...newer];
  expect(await readSources(db, 2, newer)).toEqual(ofEpoch);
  expect(await readEverySource(db, 2, newer)).toEqual([
    source("a", { geo: 1 }),
    source("c", { geo: 1 }),
    ...ofEpoch,
  ]);
});

test("a damaged source is an error, not a source without messages", async () => {
  for (const damage of [{ statement: "{}" }, { statement: "{" }, { manifest: "{}" }]) {
    const { db } = fakeDatabase(() => [{ ...row(1, "a"), ...damage }]);
    await expect(readAllSources(db)).rejects.toMatchObject({
      message: expect.stringMatching(/^The record of the source "a" in stg.manifest is damaged: ./),
      hint: "run `make data REPLACE=1`, which empties the layers first",
    });
  }
});
