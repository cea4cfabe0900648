import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { manifestSchema } from "../../contract/manifest.ts";
import { dashboardCharts } from "../../superset/dashboard.ts";
import { belongings, count, docker, forgetState, operate, services } from "./operator.ts";

const STACK = "level-live";
const CONFIG = "test/stack/live.yaml";
const HTTP_PORT = 32_123;
const DAY_MS = 86_400_000;
const FIVE_MINUTES_AND_A_RUN_MS = 420_000;
/** Minutes of live loads before the reconciliation. */
const LIVE_MINUTES = Number(process.env.LIVE_MINUTES ?? 3);
const LIVE_MS = LIVE_MINUTES * 60_000;
/** What the batch process had loaded when `make up` ended, and when that was. */
let eventsAtFirst = 0;
let alive = 0;

const succeed = (command: string, ...args: string[]): string => {
  const { code, text } = operate(STACK, command, ...args);
  expect(code, text).toBe(0);
  return text;
};
/** What a command of the pipeline prints as JSON, whatever it says beside that. */
const ask = (...args: string[]): unknown => {
  const text = succeed("run", "--", ...args, "--json");
  return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
};
const manifest = () => manifestSchema.parse(ask("generator", "manifest"));
const generator = () =>
  ask("generator", "status") as { state: { step: string }; model: { model_time: string } };
const charts = () => (ask("bi-init") as { charts: { chart: string; rows: number }[] }).charts;

afterAll(() => {
  operate(STACK, "clean");
  forgetState();
});

/** One story: each test starts where the one before it ended. */
describe("a stack in live mode", () => {
  test("ends with something to see, and prints where and how", { timeout: 900_000 }, async () => {
    const text = succeed("up", "--config", CONFIG);
    alive = Date.now();
    eventsAtFirst = await count(STACK, "dds.event", HTTP_PORT);
    expect(text).toMatch(/live-load .*load_dds/);
    expect(text).toContain("Look first at:");
    expect(text).toMatch(/http:\S+\/superset\/dashboard\/clickstream-overview/);
    expect(text).toContain(`make down STACK=${STACK}`);
  });

  test("has a week of history that ends now, and goes on from there", async () => {
    const { t0, t_end } = manifest();
    expect(Date.parse(t_end) - Date.parse(t0)).toBe(7 * DAY_MS);
    expect(generator().state.step).toBe("live");
    expect(generator().model.model_time > t_end).toBe(true);
    expect(await count(STACK, "dm.v_events_enriched", HTTP_PORT)).toBeGreaterThan(250_000);
  });

  test("shows rows in every chart", () => {
    const shown = charts();
    expect(shown).toHaveLength(dashboardCharts.length);
    expect(shown.filter(({ rows }) => rows === 0)).toEqual([]);
  });

  test("is kept fresh by the scheduler", {
    timeout: FIVE_MINUTES_AND_A_RUN_MS + 60_000,
  }, async () => {
    expect(succeed("run", "--", "dag", "list")).toMatch(/etl_live\W+on/);
    const events = async () => count(STACK, "dds.event", HTTP_PORT);
    // Its first run, for the five minutes before it was switched on, may have ended by now.
    await expect
      .poll(events, { timeout: FIVE_MINUTES_AND_A_RUN_MS, interval: 2_000 })
      .toBeGreaterThan(eventsAtFirst);
  });

  test(`accounts for every message after ${LIVE_MINUTES} minutes`, {
    timeout: LIVE_MS + 60_000,
  }, async () => {
    await sleep(Math.max(0, alive + LIVE_MS - Date.now()));
    expect(succeed("run", "prove")).toContain("0 unaccounted");
  });

  test("goes on where it was after down and up, also with another key of Superset", {
    timeout: 600_000,
  }, async () => {
    const { checksum } = manifest();
    const before = generator().model.model_time;
    const rows = await count(STACK, "dm.v_events_enriched", HTTP_PORT);
    succeed("down");
    succeed("rotate-bi-key");
    expect(docker("logs", services(STACK).bi ?? "")).toContain("encrypted with the current key");
    expect(succeed("up")).toMatch(/Resources:\s+\d+ unchanged\s/);
    expect(manifest().checksum).toBe(checksum);
    expect(generator().state.step).toBe("live");
    expect(generator().model.model_time > before).toBe(true);
    expect(await count(STACK, "dm.v_events_enriched", HTTP_PORT)).toBeGreaterThanOrEqual(rows);
    expect(charts().filter(({ rows }) => rows === 0)).toEqual([]);
    expect(succeed("run", "--", "dag", "list")).toMatch(/etl_live\W+on/);
    expect(succeed("run", "prove")).toContain("0 unaccounted");
  });

  test("leaves nothing behind when it is cleaned", () => {
    succeed("clean");
    expect(belongings(STACK)).toEqual([]);
  });
});
