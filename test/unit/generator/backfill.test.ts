import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { manifestSchema } from "../../../contract/manifest.ts";
import type { MessageBatch } from "../../../contract/ports.ts";
import { STREAMS } from "../../../contract/streams.ts";
import { DAY, HOUR, isoMicros, MINUTE } from "../../../contract/time.ts";
import { type BackfillProgress, runBackfill } from "../../../generator/backfill.ts";
import { simulationOf } from "../../../generator/behaviour/behaviour.ts";
import { checksumOf } from "../../../generator/canonical.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { type GeneratorConfig, parseConfig } from "../../../generator/config.ts";
import { settingsAfter, withStoredStart } from "../../../generator/fingerprint.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import { decodeState, type StateV3 } from "../../../generator/model/state.ts";
import { MemoryPublisher } from "../../support/memory-publisher.ts";
import { configWith, donors, firstDifference, hoursAfter, joined, NOW } from "./support.ts";

const base = configWith({ GEN_DEFECTS: "typical", GEN_MODEL_T0: "2026-01-01T22:30:00Z" });
const config = { ...base, tEnd: hoursAfter(base, 5) + 10 * MINUTE };

class Recorder extends MemoryPublisher {
  readonly batches: MessageBatch[] = [];

  override async publish(batch: MessageBatch): Promise<void> {
    this.batches.push(batch);
    await super.publish(batch);
  }
}

const pick = ({ behaviour, keepsBehaviour }: GeneratorConfig) => ({
  behaviour,
  keepsBehaviour,
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("runBackfill", () => {
  it("publishes [t0, t_end) hour by hour and reports the progress", async () => {
    const publisher = new Recorder();
    const progress: BackfillProgress[] = [];
    await runBackfill(config, donors, publisher, { onProgress: (step) => progress.push(step) });
    expect(publisher.batches).toHaveLength(6);
    publisher.batches.forEach((batch, hour) => {
      for (const at of batch.browser.emittedAt.map(Number)) {
        expect(at).toBeGreaterThanOrEqual(config.t0 + hour * HOUR);
        expect(at).toBeLessThan(Math.min(config.tEnd, config.t0 + (hour + 1) * HOUR));
      }
    });
    expect(progress.map((step) => step.ratio.toFixed(2))).toEqual([
      "0.19",
      "0.39",
      "0.58",
      "0.77",
      "0.97",
      "1.00",
    ]);
    expect(progress.at(-1)?.modelTime).toBe(config.tEnd);
  });

  it("writes a manifest of exactly the published messages", async () => {
    const publisher = new Recorder();
    const { manifest } = await runBackfill(config, donors, publisher);
    expect(manifestSchema.parse(manifest)).toEqual(manifest);
    expect(manifest.t0).toBe(isoMicros(config.t0));
    expect(manifest.t_end).toBe(isoMicros(config.tEnd));
    for (const stream of STREAMS) {
      const { values, emittedAt } = publisher.published[stream];
      expect(manifest.counts[stream]).toBe(values.length);
      const midnight = (Math.floor(config.t0 / DAY) + 1) * DAY;
      const firstDay = emittedAt.filter((at) => Number(at) < midnight).length;
      expect(manifest.days["2026-01-01"]?.[stream]).toBe(firstDay);
      expect(manifest.days["2026-01-02"]?.[stream]).toBe(values.length - firstDay);
      let digest = sha256("");
      for (const batch of publisher.batches) {
        digest = sha256(digest + sha256(batch[stream].values.join("\n")));
      }
      expect(manifest.digests[stream]).toBe(digest);
    }
    expect(manifest.checksum).toBe(checksumOf(manifest));
    expect(checksumOf({ ...manifest, users: manifest.users + 1 })).not.toBe(manifest.checksum);
  });

  it("resumes after any batch with the same manifest, state and messages", async () => {
    const whole = new Recorder();
    const states: StateV3[] = [];
    const saveState = async (state: StateV3) => {
      states.push(structuredClone(state));
    };
    const expected = await runBackfill(config, donors, whole, { saveState });
    expect(states).toHaveLength(6);
    for (const [index, from] of states.entries()) {
      const rest = new Recorder();
      const resumed = await runBackfill(config, donors, rest, { from });
      expect(resumed).toEqual(expected);
      const all = joined([...whole.batches.slice(0, index + 1), ...rest.batches]);
      expect(firstDifference(all, whole.published)).toBeNull();
    }
  });

  it("hands over to live generation without a gap", async () => {
    const part = new Recorder();
    const { state } = await runBackfill(config, donors, part);
    const live = simulationOf(base, donors, decodeState(state, donors));
    expect(live.modelTime).toBe(config.tEnd);
    const after = live.advance(config.tEnd + HOUR);
    const uncut = simulationOf(base, donors).advance(config.tEnd + HOUR);
    expect(firstDifference(joined([part.published, after]), uncut)).toBeNull();
  });

  it("stops when publishing fails, and the last saved state continues the run", async () => {
    const whole = new Recorder();
    await runBackfill(config, donors, whole);
    const broken = new Recorder();
    let saved: StateV3 | undefined;
    const failing = {
      publish: (batch: MessageBatch) =>
        broken.batches.length === 3
          ? Promise.reject(new Error("broker gone"))
          : broken.publish(batch),
      close: async () => {},
    };
    const saveState = async (state: StateV3) => {
      saved = structuredClone(state);
    };
    await expect(runBackfill(config, donors, failing, { saveState })).rejects.toThrow(
      "broker gone",
    );
    const from = saved as StateV3 | undefined;
    if (!from) throw new Error("no state was saved");
    await runBackfill(config, donors, broken, { from });
    expect(firstDifference(broken.published, whole.published)).toBeNull();
  });

  it("refuses a missing end, a state of other settings, and a state beyond the end", async () => {
    const discard = new MemoryPublisher();
    const { state } = await runBackfill(config, donors, discard);
    const refused = (change: object, from?: StateV3) =>
      expect(runBackfill({ ...config, ...change }, donors, discard, from ? { from } : {})).rejects;
    await refused({ tEnd: null }).toThrow("GEN_MODEL_T_END is not set");
    await refused({ seed: "2", populationMax: 9 }, state).toThrow(
      "other settings:\n  GEN_SEED: 1 in the state, 2 now\n  GEN_POPULATION_MAX: 300 in the state, 9 now",
    );
    const others = new DonorPool(catalogueDonors("others", 20));
    await expect(runBackfill(config, others, discard, { from: state })).rejects.toThrow(
      `donors in GEN_DATA_DIR: ${donors.digest.slice(0, 16)} in the state, ${others.digest.slice(0, 16)} now`,
    );
    await refused({ tEnd: config.t0 + HOUR }, state).toThrow("already at 2026-01-02T03:40:00");
  });

  it("continues from the relative T0 in the state", async () => {
    const live = configWith({ GEN_MODEL_T0: "now-1d" });
    const discard = new MemoryPublisher();
    const { state } = await runBackfill({ ...live, tEnd: live.t0 + HOUR }, donors, discard);
    const later = parseConfig({ GEN_MODEL_T0: "now-1d", GEN_DEFECTS: "none" }, NOW + HOUR);
    expect(() => settingsAfter(state, later, donors)).toThrow("GEN_MODEL_T0: 2026-06-14");
    const restored = withStoredStart(later, state);
    expect(restored.t0).toBe(live.t0);
    expect(() => settingsAfter(state, restored, donors)).not.toThrow();
    expect(withStoredStart(base, state)).toEqual(base);
  });

  it("keeps the behaviour of the state, unless another one is set", async () => {
    const discard = new MemoryPublisher();
    const shop = configWith({ GEN_BEHAVIOUR: "shop" });
    const written = await runBackfill({ ...shop, tEnd: shop.t0 + HOUR }, donors, discard);
    const restored = withStoredStart(configWith(), written.state);
    expect(restored.behaviour).toBe("shop");
    expect(() => settingsAfter(written.state, restored, donors)).not.toThrow();
    const chosen = withStoredStart(configWith({ GEN_BEHAVIOUR: "plain" }), written.state);
    expect(() => settingsAfter(written.state, chosen, donors)).toThrow(
      /GEN_BEHAVIOUR: shop [0-9a-f]{16} in the state, plain now/,
    );
    const plain = await runBackfill(config, donors, discard);
    const byDefault = configWith({ GEN_BEHAVIOUR: "shop-if-new" });
    expect(byDefault.behaviour).toBe("shop");
    expect(withStoredStart(byDefault, plain.state).behaviour).toBe("plain");
    expect(withStoredStart(byDefault, written.state).behaviour).toBe("shop");
    const other = withStoredStart({ ...base, ...pick(shop) }, plain.state);
    expect(() => settingsAfter(plain.state, other, donors)).toThrow(
      /GEN_BEHAVIOUR: plain in the state, shop [0-9a-f]{16} now/,
    );
  });
});
