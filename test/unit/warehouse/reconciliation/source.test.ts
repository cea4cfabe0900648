import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Manifest, manifestSchema } from "../../../../contract/manifest.ts";
import {
  generatorSource,
  isGenerator,
  mayHaveSentMore,
  readAllSources,
  readOnlySource,
  readSources,
} from "../../../../warehouse/reconciliation/source.ts";
import { fakeDatabase } from "./fake-database.ts";
import { source } from "./sources.ts";

const someManifest = {} as Manifest;

const storedManifest = manifestSchema.parse(
  JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../../data/sample/manifest.json"), "utf8"),
  ).manifest,
);

describe("a source that may have sent more than it states", () => {
  test.each([
    ["an unfinished source", source("demo", {}, { isFinal: false }), true],
    ["a finished source", source("generator dev", {}, { isFinal: true }), false],
    ["an older record of a generator", source("generator dev", {}), true],
    ["an older record of a load over the broker", source("load-1", {}), true],
    ["one with a manifest", source("load-1", {}, { manifest: someManifest }), false],
    ["an older record of another source", source("demo", {}), false],
  ])("%s", (_, of, expected) => {
    expect(mayHaveSentMore(of)).toBe(expected);
  });

  test("a generator is recognised by its name", () => {
    expect(isGenerator(source(generatorSource("dev"), {}))).toBe(true);
    expect(isGenerator(source("load-1", {}))).toBe(false);
  });
});

/** A row of stg.manifest; statements of earlier versions have no `isFinal`. */
const row = (epoch: number, name: string, isFinal?: boolean) => ({
  ...{ epoch, source: name, manifest: "" },
  statement: JSON.stringify({ ...source(name, { geo: epoch }).statement, isFinal }),
});

describe("stored sources", () => {
  const rows = [row(1, "a", true), row(2, "b", false), row(2, "c")];

  test("are read by epoch, in the order of storage", async () => {
    const { db } = fakeDatabase(() => rows);
    const sources = await readAllSources(db);
    expect([...sources.keys()]).toEqual([1, 2]);
    expect(sources.get(1)).toEqual([source("a", { geo: 1 }, { isFinal: true })]);
    expect(await readSources(db, 2)).toEqual([
      source("b", { geo: 2 }, { isFinal: false }),
      source("c", { geo: 2 }),
    ]);
    expect(await readSources(db, 3)).toEqual([]);
  });

  test("that are damaged are an error, not a source without messages", async () => {
    const damaged = fakeDatabase(() => [{ ...row(1, "a"), statement: "{}" }]);
    await expect(readAllSources(damaged.db)).rejects.toThrow();
    const withoutManifest = fakeDatabase(() => [{ ...row(1, "a"), manifest: "{}" }]);
    await expect(readAllSources(withoutManifest.db)).rejects.toThrow();
  });

  test("are one only if the epoch has one", async () => {
    const manifest = JSON.stringify(storedManifest);
    const stored = [{ ...row(1, "a"), manifest }, row(2, "b"), { ...row(2, "c"), manifest }];
    const { db } = fakeDatabase(() => stored);
    expect((await readOnlySource(db, 1))?.manifest).toEqual(storedManifest);
    expect(await readOnlySource(db, 2)).toBeUndefined();
    expect(await readOnlySource(db, 3)).toBeUndefined();
  });
});
