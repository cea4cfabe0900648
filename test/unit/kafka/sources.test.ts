import type { Admin } from "@platformatic/kafka";
import { expect, test, vi } from "vitest";
import { HEADERS } from "../../../contract/topics.ts";
import type { StoredRecord } from "../../../kafka/read.ts";
import { readSourceTexts } from "../../../kafka/sources.ts";

const recordOf = (key: string | null, value: string | null, epoch: number) => ({
  key,
  value: value === null ? null : Buffer.from(value),
  headers: new Map([[HEADERS.epoch, `${epoch}`]]),
});
const RECORDS = [
  recordOf("first", "earlier", 2),
  recordOf("first", "latest", 2),
  recordOf("emptied", "text", 2),
  recordOf("emptied", null, 2),
  recordOf("of an earlier epoch", "text", 1),
  recordOf(null, "text", 2),
];

vi.mock("../../../kafka/read.ts", () => ({
  offsetRanges: async () => [{}],
  async *readCommitted(): AsyncGenerator<Partial<StoredRecord>> {
    yield* RECORDS;
  },
}));

test("a source is the latest record of its key in the epoch, and an emptied one is none", async () => {
  expect(await readSourceTexts({} as Admin, 2)).toEqual(new Map([["first", "latest"]]));
});
