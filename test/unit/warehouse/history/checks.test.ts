import { describe, expect, test } from "vitest";
import type { Manifest } from "../../../../contract/manifest.ts";
import type { Params } from "../../../../contract/ports.ts";
import { DAY, HOUR, isoMicros, MINUTE, parseMicros } from "../../../../contract/time.ts";
import { sha256 } from "../../../../generator/canonical.ts";
import { parseConfig } from "../../../../generator/config.ts";
import { emptyCounters } from "../../../../generator/counters.ts";
import { type CheckContext, contextOf } from "../../../../warehouse/history/checks/context.ts";
import { checkCounts } from "../../../../warehouse/history/checks/counts.ts";
import { checkDigests } from "../../../../warehouse/history/checks/digests.ts";
import { checkHandover } from "../../../../warehouse/history/checks/handover.ts";
import { checkInterval } from "../../../../warehouse/history/checks/interval.ts";
import { checkSanity } from "../../../../warehouse/history/checks/sanity.ts";
import { constantModel, type HistoryModel } from "../../../../warehouse/history/model.ts";
import { readQuery } from "../../../../warehouse/sql.ts";
import { fakeDatabase } from "../reconciliation/fake-database.ts";

type Rows = readonly object[] | ((params: Params) => readonly object[]);

const T0 = parseMicros("2026-01-01T10:00:00Z");
const T_END = T0 + 36 * HOUR;

/** A context whose queries of sql/ have these rows by name, and the parameters that each was asked with. */
function contextWith(
  rows: Readonly<Record<string, Rows>>,
  manifest: object = {},
  more: Partial<Pick<CheckContext, "liveHandover" | "model">> & { tEnd?: number } = {},
) {
  const { tEnd = T_END, liveHandover = false, model = constantModel(parseConfig({})) } = more;
  const { db, asked } = fakeDatabase((sql) => {
    const name = Object.keys(rows).find((one) => readQuery(`${one}.sql`) === sql) ?? "";
    const found = rows[name] ?? [];
    return typeof found === "function" ? found(asked.at(-1)?.params ?? {}) : found;
  });
  const said = { t0: isoMicros(T0), t_end: isoMicros(tEnd), ...manifest } as unknown as Manifest;
  const context = contextOf({ db, epoch: 6, manifest: said, model, liveHandover });
  const paramsOf = (name: string) =>
    asked.filter(({ sql }) => sql === readQuery(`${name}.sql`)).map(({ params }) => params);
  return { context, paramsOf };
}

const ofGeo = (rows: readonly object[]) => (params: Params) =>
  params.topic === "geo_events" ? rows : [];
const none = { browser: 0, location: 0, device: 0, geo: 0 };

describe("counts", () => {
  const line = (day: string, stored: number, expired: number, typed: number, rejected: number) => ({
    ...{ day, stored, expired, typed, rejected },
  });
  test.each([
    ["agree", [line("2026-01-01", 2, 1, 2, 1), line("2026-01-02", 2, 0, 1, 1)], "ok", undefined],
    ["agree without days", [line("", 4, 1, 4, 1)], "ok", undefined],
    ["lack a message of an unknown day", [line("", 3, 1, 4, 1)], "failed", undefined],
    [
      "agree in sum alone",
      [line("2026-01-01", 2, 0, 2, 0), line("2026-01-02", 3, 0, 3, 0)],
      "failed",
      "2026-01-01, 2026-01-02",
    ],
    ["lack a day", [line("2026-01-01", 5, 0, 5, 0)], "failed", "2026-01-01, 2026-01-02"],
    [
      "lack a typed message",
      [line("2026-01-01", 3, 0, 3, 0), line("2026-01-02", 2, 0, 1, 0)],
      "failed",
      "2026-01-02",
    ],
    [
      "lack a message in stg",
      [line("2026-01-01", 3, 0, 3, 0), line("2026-01-02", 1, 0, 2, 0)],
      "failed",
      "2026-01-02",
    ],
    [
      "have a day too many",
      [
        line("2026-01-01", 3, 0, 3, 0),
        line("2026-01-02", 2, 0, 2, 0),
        line("2026-01-03", 1, 0, 0, 0),
      ],
      "failed",
      "2026-01-03",
    ],
  ])("that %s", async (_, found, status, days) => {
    const promised = { "2026-01-01": { ...none, geo: 3 }, "2026-01-02": { ...none, geo: 2 } };
    const manifest = { counts: { ...none, geo: 5 }, days: promised };
    const { context } = contextWith({ "history/counts": ofGeo(found) }, manifest);
    const { results, expired } = await checkCounts(context);
    expect(results.slice(0, 3).map((one) => one.status)).toEqual(["ok", "ok", "ok"]);
    expect(results[3]?.status).toBe(status);
    expect(/days that differ: (.*)$/.exec(results[3]?.detail ?? "")?.[1]).toBe(days);
    expect(expired).toEqual({ ...none, geo: found.reduce((sum, one) => sum + one.expired, 0) });
  });
});

describe("digests", () => {
  const empty = emptyCounters().digests;
  const chained = sha256(`${sha256(`${empty.geo}a`)}b`);
  const digestOf = async (
    facts: { partitions: number; without_time: number },
    ties: number,
    geo: string,
    expired = 0,
  ) => {
    const batches = (params: Params) =>
      params.topic === "geo_events"
        ? [
            {
              batch: 0,
              digest: params.from === T0 ? "a" : "b",
              lines: 7,
              ties: params.from === T0 ? ties : 0,
            },
          ]
        : [];
    const { context, paramsOf } = contextWith(
      {
        "history/partitions": [facts],
        "history/batch_digests": batches,
        "history/payload_sum": ofGeo([{ lines: 14, digest: "sum" }]),
      },
      { digests: { ...empty, geo }, sums: { geo: "sum" } },
    );
    const results = await checkDigests(context, {
      ...none,
      browser: 1,
      location: 1,
      device: 1,
      geo: expired,
    });
    expect(results.slice(0, 3).map(({ status }) => status)).toEqual([
      "skipped",
      "skipped",
      "skipped",
    ]);
    const windows = paramsOf("history/batch_digests").map(({ from, to }) => [from, to]);
    return { ...results[3], windows };
  };
  const facts = { partitions: 3, without_time: 0 };

  test("are chained day by day up to the end", async () => {
    expect(await digestOf(facts, 1, chained)).toMatchObject({
      status: "ok",
      detail: `14 payloads give ${chained}`,
      windows: [
        [T0, T0 + DAY],
        [T0 + DAY, T_END],
      ],
    });
  });

  test.each([
    ["differ in a known order", facts, 0, "other", "failed", "7 payloads|the manifest has other"],
    ["differ where times tie", facts, 2, "other", "ok", "2 messages share an emission time"],
    [
      "have messages without a time",
      { ...facts, without_time: 4 },
      0,
      chained,
      "ok",
      "4 messages have no emission time",
    ],
  ])("that %s", async (_, given, ties, promised, status, detail) => {
    const found = await digestOf(given, ties, promised);
    expect(found.status).toBe(status);
    expect(found.detail).toMatch(new RegExp(detail));
  });

  test("are not known of payloads that stg has no more", async () => {
    expect((await digestOf(facts, 0, chained, 3)).detail).toMatch(/^3 payloads are past/);
  });
});

describe("event times", () => {
  const right = {
    events: 10,
    live: 0,
    skewed: 1,
    outside: 0,
    outside_without_time: 0,
    live_before: 0,
    emitted_before: 0,
  };
  test.each([
    [{}, false, ["ok", "ok"]],
    [{ events: 0 }, false, ["failed", "ok"]],
    [{ outside: 1 }, false, ["ok", "failed"]],
    [{ live_before: 1 }, false, ["ok", "failed"]],
    [{ emitted_before: 1 }, false, ["ok", "failed"]],
    // The manifest promises two skewed clocks.
    [{ outside_without_time: 2 }, false, ["ok", "ok"]],
    [{ outside_without_time: 3 }, false, ["ok", "failed"]],
    [{ outside_without_time: 1, outside: 1 }, false, ["ok", "failed"]],
    [{ live: 3 }, false, ["ok", "failed"]],
    [{ live: 3 }, true, ["ok", "ok"]],
  ])("with %j and live events allowed: %s", async (found, liveHandover, expected) => {
    const { context } = contextWith(
      { "history/event_times": [{ ...right, ...found }] },
      { defects: { skewed_clock: { browser: 2 } } },
      { liveHandover },
    );
    expect((await checkInterval(context)).map(({ status }) => status)).toEqual(expected);
  });
});

describe("proportions", () => {
  const found = { users: 2, sessions: 3, events: 4 };
  const said = { users: 2, visits: 3, counts: { browser: 4 } };
  const stages = (...sessions: number[]) =>
    sessions.map((n, i) => ({ stage: `s${i}`, sessions: n }));
  const layers = (one: number) => [{ identity: "a = b", expected: 5, found: one }];
  test.each([
    [found, said, stages(3, 3, 1), layers(5), ["ok", "ok", "ok"]],
    [{ ...found, users: 3 }, said, stages(3, 2), layers(5), ["failed", "ok", "ok"]],
    [{ ...found, events: 3 }, said, stages(3, 2), layers(5), ["failed", "ok", "ok"]],
    [found, { ...said, users: 3 }, stages(3, 2), layers(5), ["failed", "ok", "ok"]],
    [found, { ...said, counts: { browser: 3 } }, stages(3, 2), layers(5), ["failed", "ok", "ok"]],
    [found, said, stages(2, 3), layers(4), ["ok", "failed", "failed"]],
    [found, said, stages(0, 0), layers(6), ["ok", "failed", "failed"]],
  ])("of %j, said %j, stages %j, layers %j", async (counts, manifest, funnel, sums, expected) => {
    const { context } = contextWith(
      {
        "history/typed_counts": [counts],
        "history/stages": funnel,
        "checks/progress": [{ dds_load: 3, dm_steps: [] }],
        "checks/layer_sums": ({ dds_load }) => (dds_load === 3 ? sums : []),
      },
      manifest,
    );
    expect((await checkSanity(context)).map(({ status }) => status)).toEqual(expected);
  });
});

describe("the handover", () => {
  const window = {
    ...{ before: 1800, after: 1800, weight: 3600 * 9, visits_before: 300 },
    ...{ time_before: 12 * HOUR, last_before: -1000, first_after: 1000 },
  };
  const noon = parseMicros("2026-01-02T12:00:00Z");
  const modelWith = (later: object | undefined, env: Record<string, string> = {}): HistoryModel => {
    const {
      periods: [first],
      ...model
    } = constantModel(parseConfig({ GEN_JITTER_PCT: "0", ...env }));
    if (first === undefined) throw new Error("a model has a period");
    const next = {
      from: noon + 5 * MINUTE - 1,
      config: parseConfig({ GEN_P_NEW_USER: "0.9" }),
      ...later,
    };
    return { ...model, periods: later === undefined ? [first] : [first, next] };
  };
  const SOUND = {
    live: { events: 9, live_for: 2 * HOUR },
    window,
    duplicates: 0,
    facts: {},
    users: {},
  };

  const handover = async (
    given: Partial<typeof SOUND> = {},
    model = modelWith(undefined),
    tEnd = noon,
  ) => {
    const { live, window, duplicates, facts, users } = { ...SOUND, ...given };
    const { context, paramsOf } = contextWith(
      {
        "history/handover_live": [live],
        "history/handover_window": [window],
        "history/handover_duplicates": [{ duplicates }],
        "history/handover_facts": [{ crossing: 1, changed: 0, examples: [], ...facts }],
        "history/handover_users": [{ sessions: 40, known: 20, ...users }],
      },
      {},
      { model, tEnd },
    );
    const results = await checkHandover(context);
    const statusOf = Object.fromEntries(
      results.map(({ id, status }) => [id.replace("handover: ", ""), status]),
    );
    return {
      statusOf,
      results,
      windows: paramsOf("history/handover_window").map((one) => one.window),
    };
  };
  const ALL = ["no duplicate", "no gap", "same rate", "sessions keep their facts", "users return"];
  const allOk = Object.fromEntries(ALL.map((id) => [id, "ok"]));

  test("compares at most an hour, and needs five minutes", async () => {
    expect(await handover()).toMatchObject({ statusOf: allOk, windows: [HOUR, HOUR] });
    const five = { live: { events: 9, live_for: 5 * MINUTE } };
    expect((await handover(five)).windows).toEqual([5 * MINUTE, 5 * MINUTE]);
    const { results } = await handover({ live: { events: 9, live_for: 5 * MINUTE - 1 } });
    expect(results).toMatchObject([
      { id: "live handover", status: "failed", hint: expect.stringMatching(/^wait 1 s/) },
    ]);
    const slow = modelWith(undefined, {
      GEN_MODEL_TIME_SPEED: "2",
      GEN_MAX_EVENTS_PER_TICK: "10000",
    });
    const [none] = (await handover({ live: { events: 0, live_for: HOUR } }, slow)).results;
    expect(none?.hint).toMatch(/^run `make generator-up` if the generator is off, wait 3 min,/);
  });

  test.each<[string, Partial<typeof SOUND>, string | undefined]>([
    ["one event on both sides", { duplicates: 1 }, "no duplicate"],
    ["a long pause", { window: { ...window, first_after: 5 * MINUTE } }, "no gap"],
    ["no event after it", { window: { ...window, after: 0 } }, "no gap"],
    ["a changed session", { facts: { changed: 1 } }, "sessions keep their facts"],
    ["no session that crosses, of 12", { facts: { crossing: 0 } }, "sessions keep their facts"],
    [
      "no session that crosses, of few",
      { facts: { crossing: 0 }, window: { ...window, time_before: 11 * HOUR } },
      undefined,
    ],
    ["no known user of 20", { users: { sessions: 20, known: 0 } }, "users return"],
    ["no known user of 19", { users: { sessions: 19, known: 0 } }, undefined],
    ["a known user", { users: { known: 1 } }, undefined],
  ])("with %s", async (_, given, failing) => {
    const { statusOf } = await handover(given);
    expect(
      Object.keys(statusOf).filter((id) => statusOf[id] === "failed" && id !== "same rate"),
    ).toEqual(failing === undefined ? [] : [failing]);
  });

  test("compares rates until the settings change, and not at all within five minutes", async () => {
    expect((await handover({}, modelWith({ from: noon + 10 * MINUTE }))).windows).toEqual([
      HOUR,
      10 * MINUTE,
    ]);
    expect((await handover({}, modelWith({}))).statusOf["same rate"]).toBe("skipped");
  });

  test.each([
    [
      "half of the sessions by new users",
      modelWith(undefined, { GEN_P_NEW_USER: "0.5" }),
      noon,
      "ok",
    ],
    ["more of them", modelWith(undefined, { GEN_P_NEW_USER: "0.51" }), noon, "skipped"],
    ["more of them soon", modelWith({}), noon, "skipped"],
    ["more of them later", modelWith({ from: noon + HOUR }), noon, "ok"],
    ["a history of two pauses", modelWith(undefined), T0 + HOUR, "ok"],
    ["a shorter history", modelWith(undefined), T0 + HOUR - 1, "skipped"],
    ["a history of shop of a day", modelWith(undefined, { GEN_BEHAVIOUR: "shop" }), T0 + DAY, "ok"],
    [
      "a shorter history of shop",
      modelWith(undefined, { GEN_BEHAVIOUR: "shop" }),
      T0 + DAY - 1,
      "skipped",
    ],
  ])("expects returns with %s", async (_, model, tEnd, status) => {
    expect((await handover({}, model, tEnd)).statusOf["users return"]).toBe(status);
  });
});
