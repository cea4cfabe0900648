import { beforeAll, expect, test } from "vitest";
import { MINUTE } from "../../../contract/time.ts";
import { checkHistory } from "../../../warehouse/history/check.ts";
import type { Message } from "../../support/messages.ts";
import { useTestEngine } from "../../support/use-engine.ts";
import { type History, liveWithoutState, makeHistory, reload, T_END } from "./generate.ts";

const engine = useTestEngine();
let history: History;
beforeAll(async () => {
  history = await makeHistory();
});

/** Failed checks and all details, with these messages after T_end. */
async function withLive(live: readonly Message[]) {
  await reload(engine.db, [...history.backfill, ...live], history.manifest);
  const results = await checkHistory(engine.db, {
    liveHandover: true,
    // The messages come without a generator.
    env: { GEN_SEED: "ignored: the manifest knows it", CHECK_LIVE_SEAM: "1" },
  });
  return {
    failed: results.filter((result) => result.status === "failed").map((result) => result.id),
    ids: results.map((result) => result.id),
    hint: results.find(({ status }) => status === "failed")?.hint,
    detail: (id: string) => results.find((result) => result.id === id)?.detail ?? "",
  };
}

const since = ({ emittedAt }: Message): number => ((emittedAt ?? 0) - T_END) / MINUTE;

test("continuous live generation passes; the backfill's checks ignore it", async () => {
  const { failed, ids, detail } = await withLive(history.live);
  expect(failed).toEqual([]);
  expect(ids.slice(-5)).toEqual([
    "handover: no duplicate",
    "handover: no gap",
    "handover: same rate",
    "handover: sessions keep their facts",
    "handover: users return",
  ]);
  expect(detail("handover: same rate")).toContain("in 60.0 min before T_end");
  expect(detail("handover: same rate")).not.toContain("does not confirm");
  expect(detail("handover: sessions keep their facts")).toMatch(/^[1-9]\d* sessions cross T_end/);
});

test("without any live event the check prints how to start live generation", async () => {
  const { failed, detail, hint } = await withLive([]);
  expect(failed).toEqual(["live handover"]);
  expect(detail("live handover")).toContain("CHECK_LIVE_SEAM=0");
  expect(hint).toMatch(/^run `make generator-up` .* wait 5 min, run `.*transform.*`, then check/);
});

test("a few minutes of live generation are too few; the check says when it can be run", async () => {
  const { failed, detail, hint } = await withLive(history.live.filter((m) => since(m) < 3));
  expect(failed).toEqual(["live handover"]);
  expect(detail("live handover")).toMatch(
    /^can be checked from 2026-01-01T10:05:00\S* of model time, 5\.0 min after .* [23]\.\d min are loaded$/,
  );
  expect(hint).toMatch(/^wait 3 min, run `.*transform.*`, then check again$/);
});

test("half an hour of it is compared with half an hour before", async () => {
  const { failed, detail } = await withLive(history.live.filter((m) => since(m) < 30));
  expect(failed).toEqual([]);
  expect(detail("handover: same rate")).toMatch(/in (29\.\d|30\.0) min before T_end/);
});

test("page events that were sent again after T_end are duplicates", async () => {
  const again = history.backfill
    .filter((message) => message.stream === "browser" && since(message) > -1)
    .map((message) => ({ ...message, emittedAt: T_END + MINUTE }));
  const { failed, detail } = await withLive([...history.live, ...again]);
  expect(failed).toContain("handover: no duplicate");
  expect(detail("handover: no duplicate")).not.toMatch(/^0 /);
});

test("ten minutes without events are a gap", async () => {
  const { failed, detail } = await withLive(history.live.filter((m) => since(m) > 10));
  expect(failed).toContain("handover: no gap");
  expect(detail("handover: no gap")).toMatch(/^6\d\d\.\d s between/);
});

test("a fifth of the events is a different rate", async () => {
  const sessions = new Set<string>();
  const isKept = ({ key }: Message) => {
    sessions.add(key ?? "");
    return Number.parseInt((key ?? "0").slice(0, 2), 16) % 5 === 0;
  };
  const { failed } = await withLive(history.live.filter(isKept));
  expect(sessions.size).toBeGreaterThan(100);
  expect(failed).toContain("handover: same rate");
});

test.each([
  ["browser", /"browser_name":"[^"]*"/, '"browser_name":"Another"'],
  ["location", /"referer_medium":"[^"]*"/, '"referer_medium":"another"'],
] as const)("a different %s in the second half of a session is named", async (stream, from, to) => {
  const live = history.live.map((message) =>
    message.stream === stream ? { ...message, value: message.value.replace(from, to) } : message,
  );
  const { failed, detail } = await withLive(live);
  expect(failed).toEqual(["handover: sessions keep their facts"]);
  expect(detail("handover: sessions keep their facts")).toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-4/);
});

test("a second device message of an active session is named", async () => {
  const happenedLive = (m: Message) =>
    m.stream === "browser" && m.value.includes('"event_timestamp":"2026-01-01 10');
  const crossing = new Set(history.live.filter(happenedLive).map((m) => m.key));
  const again = history.backfill.find((m) => m.stream === "device" && crossing.has(m.key));
  if (!again) throw new Error("no session crosses T_end");
  const { failed } = await withLive([...history.live, { ...again, emittedAt: T_END + 1 }]);
  expect(failed).toEqual(["handover: sessions keep their facts"]);
});

test("a generator that lost its state is found, because no visitor returns", async () => {
  const { failed, detail } = await withLive(await liveWithoutState());
  expect(failed).toEqual(["handover: sessions keep their facts", "handover: users return"]);
  expect(detail("handover: users return")).toMatch(/^0 of [1-9]/);
  expect(detail("handover: sessions keep their facts")).toMatch(/^0 sessions cross T_end/);
});
