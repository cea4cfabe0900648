import { describe, expect, test } from "vitest";
import type { Cut } from "../../../../warehouse/reconciliation/feed.ts";
import { boundsOf, knownSources } from "../../../../warehouse/reconciliation/prove.ts";
import type { Source } from "../../../../warehouse/sources/source.ts";
import { source } from "./sources.ts";

const cut = (before: readonly Source[], after = before): Cut => ({
  ...{ before, after, ends: new Map() },
  undelivered: async () => [],
});

const final = (name: string, geo: number) => source(name, { geo });

describe("known sources", () => {
  test("are the stored ones without a broker", () => {
    const stored = [final("demo", 1)];
    expect(knownSources(stored, undefined)).toEqual({ sources: stored, kept: [] });
  });

  test("of a broker come from the cut; a source that the broker has lost stays as stored", () => {
    const [ours, theirs, lost] = [final("a", 1), final("a", 5), final("b", 2)];
    expect(knownSources([ours, lost], cut([], [theirs]))).toEqual({
      sources: [theirs],
      kept: [lost],
    });
  });

  test("without a state occur once: as stored, otherwise as in the broker", () => {
    const [stored, stateless] = [final("a", 3), source("a", { geo: 1 }, { lacksState: true })];
    const other = source("b", { geo: 2 }, { lacksState: true });
    expect(knownSources([stored], cut([], [stateless, other]))).toEqual({
      sources: [],
      kept: [stored, other],
    });
  });
});

/** Bounds of epoch 2 from its stored sources and a cut. */
function boundsAt(stored: readonly Source[], at: Cut | undefined) {
  const epochs = new Map([[2, stored]]);
  return geoOf(boundsOf(epochs, 2, knownSources(stored, at), at).get(2));
}

const geoOf = (bounds: ReturnType<ReturnType<typeof boundsOf>["get"]>) =>
  bounds && { least: bounds.least.counts.geo, most: bounds.most?.counts.geo ?? null };

describe("the number of sent messages", () => {
  test("is exact if all sources are final", () => {
    expect(boundsAt([final("a", 1), final("b", 2)], undefined)).toEqual({ least: 3, most: 3 });
  });

  test("has no maximum if a stored source may have sent more", () => {
    const open = source("a", { geo: 4 }, { isFinal: false });
    expect(boundsAt([final("b", 1), open], undefined)).toEqual({ least: 5, most: null });
  });

  test("lies between the two readings of a cut", () => {
    const at = cut([source("generator dev", { geo: 4 })], [source("generator dev", { geo: 6 })]);
    expect(boundsAt([], at)).toEqual({ least: 4, most: 6 });
  });

  test("includes kept sources, which have no maximum if they may have sent more", () => {
    const live = source("generator dev", { geo: 4 });
    expect(boundsAt([final("old", 3)], cut([live]))).toEqual({ least: 7, most: 7 });
    const open = source("old", { geo: 3 }, { isFinal: false });
    expect(boundsAt([open], cut([live]))).toEqual({ least: 7, most: null });
  });

  test("counts a source without a state once, as stored", () => {
    const stateless = source("a", { geo: 1 }, { lacksState: true });
    expect(boundsAt([final("a", 3)], cut([stateless]))).toEqual({ least: 3, most: 3 });
  });

  test("is unknown if the current epoch has no source", () => {
    expect(boundsAt([], cut([]))).toBeUndefined();
  });

  test("is the stored number in earlier epochs, with or without a cut", () => {
    const epochs = new Map([
      [1, [final("a", 9)]],
      [2, [final("b", 1)]],
    ]);
    const at = cut([final("b", 8)]);
    const bounds = boundsOf(epochs, 2, knownSources(epochs.get(2) ?? [], at), at);
    expect(geoOf(bounds.get(1))).toEqual({ least: 9, most: 9 });
    expect(geoOf(bounds.get(2))).toEqual({ least: 8, most: 8 });
  });
});
