import { beforeAll, expect, test } from "vitest";
import { checkHistory } from "../../../warehouse/history/check.ts";
import type { Message } from "../../support/messages.ts";
import { useTestEngine } from "../../support/use-engine.ts";
import { type History, liveWithoutState, makeHistory, reload } from "./generate.ts";

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
    detail: (id: string) => results.find((result) => result.id === id)?.detail ?? "",
  };
}

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

test("a generator that lost its state is found, because no visitor returns", async () => {
  const { failed, detail } = await withLive(await liveWithoutState());
  expect(failed).toEqual(["handover: sessions keep their facts", "handover: users return"]);
  expect(detail("handover: users return")).toMatch(/^0 of [1-9]/);
  expect(detail("handover: sessions keep their facts")).toMatch(/^0 sessions cross T_end/);
});
