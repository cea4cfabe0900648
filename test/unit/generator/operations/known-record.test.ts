import { beforeEach, describe, expect, it } from "vitest";
import {
  KnownRecord,
  requireUnchanged,
  textOf,
} from "../../../../generator/operations/known-record.ts";
import {
  cleanRecord,
  type InstanceRecord,
  requireState,
} from "../../../../generator/operations/record.ts";
import { FakeBroker } from "./fake-broker.ts";

const record = (parts: Partial<InstanceRecord>): InstanceRecord => ({ ...cleanRecord(), ...parts });
const live = record({ phase: "live", batches: 3 });

describe("a takeover after a decision", () => {
  let broker: FakeBroker;
  beforeEach(() => {
    broker = new FakeBroker();
  });

  /** The result of a check after a decision on `text` in the epoch. */
  const found = async (text: string | null, epoch = broker.epoch) =>
    requireUnchanged(await broker.open(), new KnownRecord(epoch, text), "dev");

  it("accepts the record of the decision", async () => {
    expect(await found(null)).toBeNull();
    broker.store(live);
    expect(await found(textOf(live))).toEqual(live);
  });

  it("counts a record of a previous epoch as none", async () => {
    broker.store(live, broker.epoch - 1);
    expect(await found(null)).toBeNull();
  });

  it("accepts the record of an earlier step", async () => {
    const known = new KnownRecord(broker.epoch, textOf(live));
    const next = record({ phase: "live", batches: 4 });
    known.replace(next);
    broker.store(next);
    expect(await requireUnchanged(await broker.open(), known, "dev")).toEqual(next);
    broker.store(live);
    await expect(requireUnchanged(await broker.open(), known, "dev")).rejects.toThrow(/changed/);
  });

  for (const [what, stored] of [
    ["another phase", record({ phase: "import", batches: 3 })],
    ["more batches", record({ phase: "live", batches: 4 })],
    ["the same numbers with other content", record({ phase: "live", batches: 3, checksum: "x" })],
  ] as const) {
    it(`${what}: is to be run again`, async () => {
      broker.store(stored);
      for (const decidedOn of [textOf(live), null]) {
        await expect(found(decidedOn)).rejects.toMatchObject({
          message: expect.stringMatching(/^Instance dev was changed by another process/),
          hint: expect.stringContaining("then retry"),
        });
      }
    });
  }

  it("refuses batches without their state, under any settings", () => {
    expect(() => requireState(live)).toThrow(/3 batches.*GEN_STATE_ENABLED=false/);
    expect(requireState(null)).toBeUndefined();
    expect(requireState(record({}))).toBeUndefined();
  });

  it("a missing record, or re-created topics: reported as to be run again", async () => {
    await expect(found(textOf(live))).rejects.toThrow(/changed by another process/);
    await expect(found(null, broker.epoch - 1)).rejects.toThrow(/changed by another process/);
  });
});
