import { afterAll, beforeAll, expect, it } from "vitest";
import { waitFor } from "../kafka/harness.ts";
import { describeLong } from "../support/long-cases.ts";
import type { TestSystem } from "./environment.ts";

/** `broker_load` while the generator publishes. */
export function restoreCases(system: () => TestSystem): void {
  describeLong("broker_load while the generator publishes", () => {
    const state = async () => (await system().generatorStatus()).state;

    beforeAll(async () => {
      expect((await system().run("ddl_init")).failures).toEqual({});
      const reset = ["topics", "--reset", "--all", "--force"];
      expect(await system().pipeline(...reset)).toMatchObject({ status: 0 });
      await system().startGenerator({ GEN_TICK_SECONDS: "1" });
      await waitFor("it is live", async () => (await state()).step === "live");
      const stored = () => system().rows("stg.raw");
      await waitFor("its events are stored", async () => (await stored()) > 0, 300_000);
    });
    afterAll(() => system().stopGenerator());

    it("is refused if it may not pause the generator", async () => {
      const { failures } = await system().run("broker_load", { limit: 50, pause_generator: false });
      expect(failures.load_broker).toMatch(/A generator is publishing/);
      expect((await state()).kind).toBe("running");
    });

    it("pauses the generator, and the watching command prints how to resume it", async () => {
      const run = ["dag", "run", "broker_load", "--param", "limit=50", "--wait"];
      const { status, stdout, stderr } = await system().pipeline(...run);
      expect(status, stderr).toBe(0);
      expect((await state()).kind).toBe("paused");
      expect(stdout).toMatch(
        /^note: The generator test is paused.*clean_start with agree_to_loss\)\nbroker_load: success$/ms,
      );
      const again = await system().pipeline("generator", "resume");
      expect(again).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/in standby: a load filled the topics \(load-\d+\)/),
      });
    });

    it("replaces existing data only if the run confirms it", async () => {
      const conf = { limit: 50, replace: true };
      const before = await system().rows("stg.raw");
      const { failures } = await system().run("broker_load", conf);
      expect(failures.load_broker).toMatch(/--replace removes the rows of .*agree_to_loss/s);
      expect(await system().rows("stg.raw")).toBe(before);
      const agreed = await system().run("broker_load", { ...conf, agree_to_loss: true });
      expect(agreed.failures).toEqual({});
      const rows = await system().rows("stg.raw");
      expect(rows).toBeGreaterThanOrEqual(50);
      expect(rows).toBeLessThan(before);
    });
  });
}
