import { describe, expect, test } from "vitest";
import { cutBetween } from "../../../../warehouse/reconciliation/broker-feed.ts";
import type { Source } from "../../../../warehouse/sources/source.ts";
import { source } from "./sources.ts";

/**
 * A source with these numbers of sent browser messages, one per reading; the last number repeats.
 */
function counting(...counts: number[]) {
  let reads = 0;
  return async (): Promise<Source[]> => {
    const browser = counts[Math.min(reads++, counts.length - 1)] ?? 0;
    return [source("generator dev", { browser })];
  };
}

const endsFrom = () => {
  let reads = 0;
  return async () => ++reads;
};

const sentOf = ([only]: readonly Source[]) => only?.statement.counts.browser;

const cutOf = async (counts: number[], attempts?: number) => {
  const { before, after, ends } = await cutBetween(counting(...counts), endsFrom(), attempts);
  return { before: sentOf(before), after: sentOf(after), ends };
};

describe("the ends of the topics match the sent messages", () => {
  test("if nothing was committed while they were read", async () => {
    expect(await cutOf([7])).toEqual({ before: 7, after: 7, ends: 1 });
  });

  test("at the first reading without a commit", async () => {
    expect(await cutOf([1, 2, 3, 3])).toEqual({ before: 3, after: 3, ends: 3 });
  });

  test("approximately, if each reading meets a commit: the last one bounds the sent messages", async () => {
    expect(await cutOf([1, 2, 3, 4, 5, 6, 7], 3)).toEqual({ before: 3, after: 4, ends: 3 });
  });

  test("without a source, too", async () => {
    const none = async () => [];
    expect(await cutBetween(none, endsFrom())).toEqual({ before: [], after: [], ends: 1 });
  });

  test("for a source that appeared meanwhile only at the next reading", async () => {
    const read = counting(0, 4, 4);
    let isFirst = true;
    const sources = async () => {
      const found = await read();
      const shown = isFirst ? [] : found;
      isFirst = false;
      return shown;
    };
    const { before, after, ends } = await cutBetween(sources, endsFrom());
    expect([sentOf(before), sentOf(after), ends]).toEqual([4, 4, 2]);
  });
});
