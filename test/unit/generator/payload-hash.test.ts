import { describe, expect, it } from "vitest";
import { emptyBatch } from "../../../contract/ports.ts";
import { sha256 } from "../../../generator/canonical.ts";
import { GeneratorCounters } from "../../../generator/counters.ts";
import { addToSum, formatSum, hashPayloads } from "../../../generator/payload-hash.ts";

const sumOf = (lines: readonly string[]): string => formatSum(hashPayloads(lines).sum);

describe("the hash of payloads", () => {
  it("of one is CRC-32 above MurmurHash3, as published", () => {
    expect(sumOf([""])).toBe("0000000000000000");
    // CRC-32 check value of "123456789"; MurmurHash3_x86_32, seed 0, of the pangram.
    expect(sumOf(["123456789"])).toMatch(/^cbf43926/);
    expect(sumOf(["The quick brown fox jumps over the lazy dog"])).toBe("414fa3392e4ff723");
  });

  it("together is the SHA-256 of the joined lines, in any number of chunks", () => {
    const cases = [
      [],
      [""],
      ["", "ü", "𝄞", "\ud834", "a\nb"],
      Array.from({ length: 3_000 }, (_, n) => `${n}${"é".repeat(n % 90)}`),
      ["x".repeat(70_000), "y", "€".repeat(70_000), "z"],
    ];
    for (const lines of cases) expect(hashPayloads(lines).digest).toBe(sha256(lines.join("\n")));
  });

  it("as a sum is the same in any order and in any portions", () => {
    const lines = Array.from({ length: 500 }, (_, n) => `{"n":${n}}`);
    const sum = sumOf(lines);
    expect(sumOf(lines.toReversed())).toBe(sum);
    const [some, rest] = [lines.slice(0, 123), lines.slice(123)];
    expect(addToSum(sumOf(some), hashPayloads(rest).sum)).toBe(sum);
    expect(sumOf(lines.slice(1))).not.toBe(sum);
    expect(sumOf([...lines, "{}"])).not.toBe(sum);
    expect(sumOf(lines.with(7, '{"n":8}'))).not.toBe(sum);
    // An exclusive or would miss two messages that each occur twice.
    expect(sumOf([...lines, ...lines])).not.toBe(sumOf([]));
  });

  it("wraps around at 64 bits", () => {
    expect(addToSum("ffffffffffffffff", 2n)).toBe("0000000000000001");
    const many = Array.from({ length: 1_000 }, () => "123456789");
    const one = hashPayloads(["123456789"]).sum;
    expect(hashPayloads(many).sum).toBe(BigInt.asUintN(64, one * 1_000n));
  });
});

describe("the counters", () => {
  const batch = emptyBatch();
  batch.geo.values.push("a", "b");
  batch.geo.emittedAt.push(null, null);
  batch.geo.keys.push(null, null);

  it("counts the messages of each day, from midnight on", () => {
    const midnight = Date.UTC(2026, 0, 2) * 1000;
    const days = (...emittedAt: number[]) => {
      const counters = new GeneratorCounters();
      const values = emittedAt.map(String);
      counters.add({
        ...emptyBatch(),
        geo: { keys: emittedAt.map(() => null), values, emittedAt },
      });
      const found = Object.entries(counters.snapshot().days);
      return Object.fromEntries(found.map(([day, { geo }]) => [day, geo]));
    };
    expect(days(midnight - 1, midnight)).toEqual({ "2026-01-01": 1, "2026-01-02": 1 });
    expect(days(midnight - 2, midnight - 1)).toEqual({ "2026-01-01": 2 });
    expect(days(midnight, midnight + 1)).toEqual({ "2026-01-02": 2 });
  });

  it("continues the sum of a state", () => {
    const counters = new GeneratorCounters();
    counters.add(batch);
    const resumed = new GeneratorCounters(counters.snapshot());
    resumed.add(batch);
    expect(resumed.snapshot().sums.geo).toBe(sumOf(["a", "b", "a", "b"]));
    expect(resumed.snapshot().sums.browser).toBe("0000000000000000");
  });
});
