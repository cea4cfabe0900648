import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { DAY, HOUR, MINUTE, parseMicros, SECOND } from "../../../contract/time.ts";
import { dayWeightOf, simulationOf } from "../../../generator/behaviour/behaviour.ts";
import { donorPool } from "../../../generator/behaviour/scenario/donors.ts";
import {
  findScenario,
  parseScenario,
  scenarioNames,
} from "../../../generator/behaviour/scenario/scenario.ts";
import { SHOP } from "../../../generator/behaviour/shop/parameters.ts";
import { phasesOf } from "../../../generator/behaviour/shop/phases.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import type { GeneratorConfig } from "../../../generator/config.ts";
import { emptyCounters } from "../../../generator/counters.ts";
import { fingerprint, settingsAfter } from "../../../generator/fingerprint.ts";
import { decodeState, encodeState, parseState } from "../../../generator/model/state.ts";
import { GeneratorRun } from "../../../generator/run.ts";
import { configWith, firstDifference, isPageEvent, joined, payloads } from "./support.ts";

const HEAD = `
title: A test
about: Everything at once.
seed: test
start: 2026-01-05 00:00
days: 1
rate: 30
notice: [one]
queries: [SELECT 1]
`;
const EVERYTHING = `${HEAD}
update: { browser: Chrome, from: Chrome/143, to: Chrome/144, share: 0.5 }
events:
  - { kind: visitors, what: a, from: 2026-01-05 00:30, to: 2026-01-05 02:00, demand: 2 }
  - kind: visitors
    what: b
    from: 2026-01-05 01:07
    parameters: { steps: { confirmation: { browser: { Chrome 144: 0 } } } }
  - { kind: bots, what: c, from: 2026-01-05 01:30, to: 2026-01-05 02:30, share: 0.4, demand: 2 }
  - { kind: defect, what: d, from: 2026-01-05 01:00, to: 2026-01-05 02:00, defect: missing_location, share: 1 }
  - { kind: defect, what: e, from: 2026-01-05 02:00, to: 2026-01-05 02:40, defect: late, share: 0.7, device: Mobile }
`;

const withScenario = (text: string, env: Record<string, string> = {}): GeneratorConfig => ({
  ...configWith({ GEN_BEHAVIOUR: "shop", GEN_MODEL_T0: "2026-01-05T00:00:00Z", ...env }),
  scenario: parseScenario("test", text),
});
const everything = withScenario(EVERYTHING);
// Few donors, because the truth weighs each of them.
const pool = donorPool(everything, catalogueDonors("test", 300));
const at = (text: string) => parseMicros(`2026-01-05 ${text}:00`);

function eventsOf(config: GeneratorConfig, hours: number) {
  const batch = simulationOf(config, pool).advance(config.t0 + hours * HOUR);
  const agents = new Map<string, string>();
  const events = payloads(batch, "browser")
    .filter(isPageEvent)
    .map((row) => {
      agents.set(row.event_id, row.browser_user_agent);
      return { ...row, at: parseMicros(row.event_timestamp) };
    });
  return { batch, events };
}

/** No cap or limit at 400 page events per minute. */
const LARGE = {
  GEN_MAX_EVENTS_PER_TICK: "10000",
  GEN_MAX_ACTIVE_SESSIONS: "100000",
  GEN_POPULATION_MAX: "100000",
};

describe("a scenario", () => {
  it("gives the same bytes, wherever a run is cut and restored", () => {
    const frame = { fingerprint: "0".repeat(64), settings: {}, t0_us: 0, sent: emptyCounters() };
    const span = 3 * HOUR;
    const cuts = fc.array(fc.integer({ min: 0, max: span }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.integer().map(String), cuts, (seed, offsets) => {
        const config = { ...everything, seed };
        const whole = simulationOf(config, pool).advance(config.t0 + span);
        let part = simulationOf(config, pool);
        const batches = offsets
          .toSorted((a, b) => a - b)
          .map((offset) => {
            const batch = part.advance(config.t0 + offset);
            const text = JSON.stringify(encodeState(part.snapshot(), frame));
            part = simulationOf(config, pool, decodeState(parseState(text, pool), pool));
            return batch;
          });
        batches.push(part.advance(config.t0 + span));
        expect(firstDifference(joined(batches), whole)).toBeNull();
      }),
      { numRuns: 4, seed: 1 },
    );
  });

  const config = withScenario(EVERYTHING, { GEN_LAMBDA_BASE_PER_MIN: "400", ...LARGE });
  const { events } = eventsOf(config, 3);

  it("keeps the intensity times its demand, also with programs", () => {
    const weight = dayWeightOf(config);
    // Sessions that began before a change are still there, so leave out ten minutes after it.
    for (const [from, to] of [
      ["00:40", "01:30"],
      ["01:40", "02:00"],
      ["02:10", "02:30"],
    ] as const) {
      const found = events.filter((one) => one.at >= at(from) && one.at < at(to)).length;
      const minutes = (at(to) - at(from)) / MINUTE;
      const expected = 400 * 0.7 * weight(at(from)) * minutes;
      expect(Math.abs(found / expected - 1), from).toBeLessThan(0.15);
    }
    expect([at("00:00"), at("00:30"), at("01:30"), at("02:00"), at("02:30")].map(weight)).toEqual([
      1, 2, 4, 2, 1,
    ]);
  });

  it("lets payment fail from the minute on, in the version that the update made", () => {
    const bought = (version: number, isAfter: boolean) =>
      events.filter(
        (one) =>
          one.event_type === "purchase" &&
          one.browser_user_agent.includes(` Chrome/${version}`) &&
          one.browser_name === "Chrome" &&
          // The page before the purchase was left at most some minutes earlier.
          (isAfter ? one.at > at("01:25") : one.at < at("01:07")),
      ).length;
    expect(bought(144, false)).toBeGreaterThan(20);
    expect(bought(144, true)).toBe(0);
    expect(bought(143, true)).toBeGreaterThan(20);
  });

  it("omits the locations of an outage, counts them, and delays events of phones", () => {
    const config = withScenario(EVERYTHING);
    const simulation = simulationOf(config, pool);
    const batch = simulation.advance(config.t0 + 7 * HOUR);
    const known = new Set(payloads(batch, "location").map((row) => row.event_id));
    const missing = payloads(batch, "browser").filter((row) => !known.has(row.event_id));
    expect(missing.length).toBe(simulation.defects.missing_location.location);
    expect(missing.length).toBeGreaterThan(1000);
    for (const { event_timestamp } of missing) {
      expect(event_timestamp.slice(0, 13)).toBe("2026-01-05 01");
    }
    const phones = new Set(
      payloads(batch, "device").flatMap((row) =>
        row.device_type === "Mobile" ? [row.click_id] : [],
      ),
    );
    const late = payloads(batch, "browser").filter(
      (row, i) => Number(batch.browser.emittedAt[i]) > parseMicros(row.event_timestamp) + MINUTE,
    );
    expect(late.length).toBe(simulation.defects.late.browser);
    expect(late.length).toBeGreaterThan(100);
    for (const row of late) {
      expect(phones.has(row.click_id)).toBe(true);
      const time = parseMicros(row.event_timestamp);
      // An event before a page is half a second earlier.
      expect(time >= at("02:00") - SECOND && time < at("02:40")).toBe(true);
    }
  });

  it("has programs only in their time; they never return, and have no variant", () => {
    const { batch, events } = eventsOf(withScenario(EVERYTHING), 6);
    const isBot = ({ browser_user_agent }: { browser_user_agent: string }) =>
      browser_user_agent.includes("Headless");
    const sessions = new Set(events.filter(isBot).map((row) => row.click_id));
    const starts = new Map<string, number>();
    for (const row of events) {
      starts.set(row.click_id, Math.min(row.at, starts.get(row.click_id) ?? row.at));
    }
    expect(sessions.size).toBeGreaterThan(50);
    for (const id of sessions) {
      expect(starts.get(id)).toBeGreaterThanOrEqual(at("01:30"));
      expect(starts.get(id)).toBeLessThan(at("02:30"));
    }
    const visitors = payloads(batch, "device").filter((row) => sessions.has(row.click_id));
    expect(new Set(visitors.map((row) => row.user_custom_id)).size).toBe(sessions.size);
    payloads(batch, "location").forEach((row, i) => {
      expect(row.page_url.includes("?exp=")).toBe(!sessions.has(batch.location.keys[i] ?? ""));
    });
  });

  it("moves with T0", () => {
    const moved = withScenario(EVERYTHING, { GEN_MODEL_T0: "2026-01-06T00:00:00Z" });
    const limits = (config: GeneratorConfig) => phasesOf(config).map(({ from }) => from);
    expect(limits(moved)).toEqual(limits(everything).map((from) => from + DAY));
  });

  it("has a fingerprint of its own, in which words do not count", () => {
    const other = EVERYTHING.replace("what: a", "what: other");
    expect(fingerprint(withScenario(other), "")).toBe(fingerprint(everything, ""));
    const changed = EVERYTHING.replace("Chrome 144: 0", "Chrome 144: 0.1");
    expect(fingerprint(withScenario(changed), "")).not.toBe(fingerprint(everything, ""));
    const state = new GeneratorRun(everything, pool).state();
    expect(() => settingsAfter(state, { ...everything, scenario: null }, pool)).toThrow(
      /GEN_SCENARIO: test \w+ in the state, none now/,
    );
  });

  it("publishes its events, and values for the time between two changes", () => {
    const run = new GeneratorRun(everything, pool);
    run.advance(everything.t0 + 6 * HOUR);
    const { truth } = run.manifest(everything.t0 + 6 * HOUR);
    expect(truth?.scenario).toMatchObject({ name: "test", events: expect.any(Array) });
    expect(truth?.parameters).toMatchObject({ experiment: SHOP.experiment });
    const windows = new Set(truth?.effects.map(({ window }) => JSON.stringify(window)));
    // Shorter times and the outage have none; the last is until the end, but for two hours.
    expect([...windows]).toEqual([
      '{"from":"2026-01-05T02:30:00.000000Z","until":"2026-01-05T05:00:00.000000Z"}',
    ]);
    const segments = truth?.effects.filter(({ dimension }) => dimension === "browser");
    expect(segments?.map(({ segment }) => segment)).toContain("Chrome 143");
  });
});

describe("the files of scenarios", () => {
  test.each(scenarioNames())(
    "%s sets the generator's defaults, which the environment changes",
    (name) => {
      const { start, days, seed } = findScenario(name);
      const config = configWith({ GEN_SCENARIO: name });
      expect(config).toMatchObject({
        t0: start,
        tEnd: start + days * DAY,
        seed,
        behaviour: "shop",
      });
      expect(configWith({ GEN_SCENARIO: name, GEN_SEED: "own" }).seed).toBe("own");
      expect(phasesOf(config).length).toBeGreaterThan(0);
    },
  );

  test("an unknown name is refused with all names, and a likely one", () => {
    expect(() => findScenario("chekout-bug")).toThrow(
      "There is no scenario chekout-bug; did you mean checkout-bug? Allowed: bot-wave, calm-week, ",
    );
    expect(() => configWith({ GEN_SCENARIO: "other" })).toThrow("GEN_SCENARIO=other: must be none");
    expect(() => configWith({ GEN_SCENARIO: "calm-week", GEN_BEHAVIOUR: "plain" })).toThrow(
      "GEN_BEHAVIOUR=plain: must be shop with GEN_SCENARIO=calm-week",
    );
  });

  test.each([
    ["extra: 1", /\(top\): Unrecognized key: "extra"/],
    ["days: 0", /days: /],
    ["events: [{ kind: other }]", /events\.0\.kind: /],
    [
      "events: [{ kind: bots, what: a, from: 2026-01-04 00:00, share: 0.1 }]",
      /events\.0: is outside/,
    ],
    [
      "events: [{ kind: bots, what: a, from: 2026-01-05 03:00, to: 2026-01-05 02:00, share: 0.1 }]",
      /events\.0: ends before it begins/,
    ],
    [
      "events: [{ kind: visitors, what: a, from: 2026-01-05 01:07, demand: 2 }]",
      /events\.0: must begin and end at a quarter of an hour/,
    ],
    ["events: [{ kind: visitors, what: a, from: 2026-01-05T01 }]", /events\.0\.from: /],
  ])("a wrong file is refused: %s", (line, message) => {
    const text = line.startsWith("days") ? HEAD.replace(/^days.*$/m, line) : `${HEAD}${line}\n`;
    expect(() => parseScenario("wrong", text)).toThrow(message);
    expect(() => parseScenario("wrong", text)).toThrow("scenarios/wrong.yaml is not a scenario:");
  });
});
