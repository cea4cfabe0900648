import { describe, expect, test } from "vitest";
import { DEFECT_KINDS, noDefects, zeroCounts } from "../../../contract/defects.ts";
import { manifestSchema } from "../../../contract/manifest.ts";
import { batchHistorySchema } from "../../../contract/topics.ts";

const batch = {
  batch_id: "epoch-1-17",
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:00:00.125Z",
  sent_total: 10,
  sent_browser: 4,
  sent_location: 4,
  sent_device: 1,
  sent_geo: 1,
  status: "success",
  error_message: "",
};

const sha256 = "0123456789abcdef".repeat(4);
const sum = "0123456789abcdef";
const manifest = {
  version: 1,
  seed: "1",
  t0: "2026-01-01T00:00:00.000000Z",
  t_end: "2026-01-02T00:00:00.000000Z",
  fingerprint: sha256,
  counts: { browser: 4, location: 4, device: 1, geo: 1 },
  days: { "2026-01-01": { browser: 4, location: 4, device: 1, geo: 1 } },
  users: 1,
  visits: 1,
  unborn: 0,
  defects: noDefects(),
  digests: { browser: sha256, location: sha256, device: sha256, geo: sha256 },
  sums: { browser: sum, location: sum, device: sum, geo: sum },
  checksum: sha256,
};

describe("a record of the batch history", () => {
  test.each([
    ["as it is written", {}],
    ["partial, with its error", { status: "partial", error_message: "interrupted" }],
    ["in error, with nothing sent", { status: "error", sent_total: 0, error_message: "away" }],
  ])("%s", (_, change) => {
    const record = { ...batch, ...change };
    expect(batchHistorySchema.parse(record)).toEqual(record);
  });

  test.each([
    ["batch_id", ""],
    ["started_at", "2026-01-01T00:00:00Z"],
    ["sent_browser", 0.5],
    ["status", "done"],
    ["unknown", 1],
  ])("is refused with %s = %j", (field, value) => {
    expect(batchHistorySchema.safeParse({ ...batch, [field]: value }).success).toBe(false);
  });
});

describe("a manifest", () => {
  test("is parsed", () => {
    expect(manifestSchema.parse(manifest)).toEqual(manifest);
  });

  test.each([
    ["version", 2],
    ["t0", "2026-01-01T00:00:00.000Z"],
    ["fingerprint", sha256.toUpperCase()],
    ["counts", { browser: 4 }],
    ["days", { today: zeroCounts() }],
    ["days", { "2026-01-01": {} }],
    ["defects", {}],
    ["defects", { ...noDefects(), unheard_of: zeroCounts() }],
    ["digests", { ...manifest.digests, fifth: sha256 }],
    ["sums", { ...manifest.sums, geo: `${sum}0` }],
    ["sums", { ...manifest.sums, geo: "X".repeat(16) }],
    ["unknown", 1],
  ])("is refused with %s = %j", (field, value) => {
    expect(manifestSchema.safeParse({ ...manifest, [field]: value }).success).toBe(false);
  });
});

test("counts start at zero, and each counts separately", () => {
  expect(zeroCounts()).toEqual({ browser: 0, location: 0, device: 0, geo: 0 });
  const [counted, other] = [noDefects(), noDefects()];
  expect(Object.keys(counted)).toEqual(DEFECT_KINDS);
  counted.late.browser += 1;
  expect(counted).toEqual({ ...other, late: { ...zeroCounts(), browser: 1 } });
});
