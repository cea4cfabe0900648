import type { fetchV13, RecordsBatch } from "@platformatic/kafka";
import { expect, test } from "vitest";
import { committedFilter } from "../../../kafka/fetch.ts";

type Aborted = readonly (readonly [producer: number, firstOffset: number])[];
/** A batch of two records, or a marker, of a producer; without a producer it is in no transaction. */
type Line = readonly [offset: number, kind: "batch" | "marker" | "plain", producer: number];

const ATTRIBUTES = { plain: 0, batch: 16, marker: 48 };

function keptOffsets(aborted: Aborted, lines: readonly Line[]): number[] {
  const abortedTransactions = aborted.map(([producer, offset]) => ({
    producerId: BigInt(producer),
    firstOffset: BigInt(offset),
  }));
  const keep = committedFilter({ abortedTransactions } as fetchV13.FetchResponsePartition);
  const batchOf = ([offset, kind, producer]: Line) =>
    ({
      firstOffset: BigInt(offset),
      lastOffsetDelta: kind === "marker" ? 0 : 1,
      attributes: ATTRIBUTES[kind],
      producerId: BigInt(producer),
    }) as RecordsBatch;
  return lines.filter((line) => keep(batchOf(line))).map(([offset]) => offset);
}

const cases: [string, Aborted, Line[], number[]][] = [
  [
    "a commit after an abort of the same producer counts",
    [[1, 0]],
    [
      [0, "batch", 1],
      [2, "marker", 1],
      [3, "batch", 1],
      [5, "marker", 1],
    ],
    [3],
  ],
  [
    "an abort after a commit of the same producer does not count",
    [[1, 3]],
    [
      [0, "batch", 1],
      [2, "marker", 1],
      [3, "batch", 1],
      [5, "marker", 1],
    ],
    [0],
  ],
  [
    "two aborts, listed in any order, with a commit between them",
    [
      [1, 6],
      [1, 0],
    ],
    [
      [0, "batch", 1],
      [2, "marker", 1],
      [3, "batch", 1],
      [5, "marker", 1],
      [6, "batch", 1],
      [8, "marker", 1],
    ],
    [3],
  ],
  [
    "a commit inside another producer's aborted transaction counts",
    [[1, 0]],
    [
      [0, "batch", 1],
      [2, "batch", 2],
      [4, "marker", 2],
      [5, "batch", 1],
      [7, "marker", 1],
    ],
    [2],
  ],
  [
    "a page that begins inside an aborted transaction",
    [[1, 0]],
    [
      [2, "batch", 1],
      [4, "marker", 1],
      [5, "batch", 1],
    ],
    [5],
  ],
  [
    "an aborted transaction that begins with the second record of a batch",
    [[1, 1]],
    [[0, "batch", 1]],
    [],
  ],
  [
    "messages outside transactions count",
    [[1, 0]],
    [
      [0, "batch", 1],
      [2, "plain", 1],
      [4, "plain", -1],
    ],
    [2, 4],
  ],
];

test.each(cases)("%s", (_, aborted, lines, kept) => {
  expect(keptOffsets(aborted, lines)).toEqual(kept);
});
