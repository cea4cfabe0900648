import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configWith, firstDifference, simulate } from "./support.ts";

describe("determinism", () => {
  const defects = { GEN_DEFECTS: "typical" };

  it("gives the same bytes for the same seed, and others for another seed", () => {
    const first = simulate(configWith(defects), 300).batch;
    expect(firstDifference(simulate(configWith(defects), 300).batch, first)).toBeNull();
    const other = simulate(configWith({ ...defects, GEN_SEED: "2" }), 300).batch;
    expect(other.browser.values[0]).not.toBe(first.browser.values[0]);
  });

  it("gives the same manifest in every time zone and language of the process", () => {
    const script = join(import.meta.dirname, "print-manifest.ts");
    const run = (env: Record<string, string>) =>
      execFileSync(process.execPath, [script], { env, encoding: "utf8" });
    const plain = run({ TZ: "UTC", LANG: "C" });
    expect(JSON.parse(plain).counts.browser).toBeGreaterThan(1000);
    expect(run({ TZ: "Asia/Kolkata", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" })).toBe(plain);
    expect(run({ TZ: "America/St_Johns", LANG: "ar_EG.UTF-8", LC_ALL: "ar_EG" })).toBe(plain);
  });

  it("gives the same sessions with every defect rate", () => {
    const clean = simulate(configWith(), 300).simulation;
    const dirty = simulate(configWith(defects), 300).simulation;
    expect(dirty.counters).toEqual(clean.counters);
    expect(dirty.snapshot().rng.walk).toEqual(clean.snapshot().rng.walk);
  });
});
