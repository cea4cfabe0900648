import { expect, test } from "vitest";
import type { MessageBatch } from "../../../contract/ports.ts";
import { runBackfill } from "../../../generator/backfill.ts";
import { dayWeightOf } from "../../../generator/behaviour/behaviour.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import { DEMO_DEFAULTS, demoConfig, refuseSettings } from "../../../warehouse/demo/config.ts";

test("a demo is of shop by default", () => {
  expect(demoConfig(DEMO_DEFAULTS).behaviour).toBe("shop");
});

test.each([
  ["plain", 2],
  ["shop", 2],
  ["shop", 100],
] as const)("a demo of %s keeps the rate of %d page events per minute", async (behaviour, rate) => {
  const config = demoConfig({ ...DEMO_DEFAULTS, behaviour, days: 1, rate });
  let pageEvents = 0;
  const counter = {
    publish: async ({ browser }: MessageBatch) => {
      pageEvents += browser.values.filter((value) => /"(pageview|purchase)"/.test(value)).length;
    },
    close: async () => undefined,
  };
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { unborn } = (await runBackfill(config, donors, counter)).manifest;
  // Coefficients of a day: 6 h at 0.7, 10 h at 1.2, 8 h at 1.
  const expected = rate * 60 * (6 * 0.7 + 10 * 1.2 + 8) * dayWeightOf(config)(config.t0);
  expect(Math.abs(pageEvents / expected - 1)).toBeLessThan(0.1);
  expect(unborn).toBe(0);
});

test("a command with settings of its own refuses those of the shell, which it would ignore", () => {
  const env = { GEN_MODEL_TIMEZONE: "Europe/Berlin", GEN_SEED: "", HOME: "/root" };
  expect(() => refuseSettings("demo", env)).toThrow("demo would ignore GEN_MODEL_TIMEZONE of");
  refuseSettings("demo", { GEN_SEED: "", HOME: "/root" });
});
