import { describe, expect, it } from "vitest";
import { DamagedEpochError, parseEpoch } from "../../../kafka/epoch.ts";
import { BrokerError } from "../../../kafka/errors.ts";

const SOUND = { epoch: 7, reason: "topics created", started_at: "2026-01-01T00:00:00.000Z" };

describe("the record of the epoch", () => {
  it("is parsed as written", () => {
    expect(parseEpoch(JSON.stringify(SOUND))).toEqual(SOUND);
  });

  it.each([
    ["no JSON", "7 or so", /7 or so: .*JSON/],
    ["no object", "null", /null: value: /],
    ["no number", JSON.stringify({ ...SOUND, epoch: "yesterday" }), /yesterday.*: epoch: /],
    ["no time", JSON.stringify({ ...SOUND, started_at: "noon" }), /noon.*: started_at: /],
    ["more than it should", JSON.stringify({ ...SOUND, more: 1 }), /"more":1.*: value: .*more/],
  ])("with %s: names topic, key, value, what is allowed and the hint", (_, text, reason) => {
    const read = () => parseEpoch(text);
    expect(read).toThrow(DamagedEpochError);
    expect(read).toThrow(BrokerError);
    expect(read).toThrow(/key \S+ of the topic pipeline_epoch/);
    expect(read).toThrow(reason);
    expect(read).toThrow(/Allowed: JSON like \{"epoch":\d+/);
    expect(read).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/pipeline topics --reset --force/) }),
    );
  });
});
