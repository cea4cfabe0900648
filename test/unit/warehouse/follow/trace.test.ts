import { describe, expect, test } from "vitest";
import { cellText, sinceBroker } from "../../../../warehouse/follow/render.ts";
import { type Commit, commitTimes } from "../../../../warehouse/follow/trace.ts";

const commit = (layer: Commit["layer"], load_id: number, committed_at: string): Commit => ({
  layer,
  load_id,
  committed_at,
});

describe("the time of a load in each layer", () => {
  const commits = [
    commit("ods", 1, "10:00"),
    commit("ods", 2, "11:00"),
    commit("dds", 1, "10:01"),
    commit("dds", 2, "11:01"),
    commit("dm", 1, "10:02"),
    commit("dm", 2, "11:02"),
  ];

  test("is that of its own load of ods, and of the first later load of each other layer", () => {
    expect(commitTimes(commits, 1)).toEqual({
      loaded: "10:00",
      integrated: "10:01",
      presented: "10:02",
    });
    expect(commitTimes(commits, 2).presented).toBe("11:02");
    // Clocks may show the same time for both.
    expect(commitTimes([...commits, commit("dm", 2, "11:01")], 2).presented).toBe("11:01");
  });

  test("after a full refresh, dm counts from the load after the new dds", () => {
    const refreshed = [commits[0], commits[1], commit("dds", 2, "12:01"), ...commits.slice(4)];
    const all = [...refreshed, commit("dm", 2, "12:02")].filter((line) => line !== undefined);
    expect(commitTimes(all, 1)).toEqual({
      loaded: "10:00",
      integrated: "12:01",
      presented: "12:02",
    });
  });

  test("is missing if the next load has to take the message", () => {
    const none = { loaded: null, integrated: null, presented: null };
    expect(commitTimes(commits, 0)).toEqual(none);
    expect(commitTimes([commit("ods", 3, "13:00")], 3)).toEqual({ ...none, loaded: "13:00" });
  });
});

test("counts from the time at which the broker received the message", () => {
  const hops = {
    emitted: null,
    broker: "2026-01-01 10:00:00.500",
    ingested: "2026-01-01 10:00:00.750000",
    loaded: "2026-01-01 10:05:00.500000",
    integrated: null,
    presented: null,
  };
  expect(sinceBroker(hops, "ingested")).toBe("+0.25 s");
  expect(sinceBroker(hops, "loaded")).toBe("+300 s");
  expect(sinceBroker(hops, "integrated")).toBe("not yet");
});

test("cells have one line each", () => {
  expect(cellText(null)).toBe("NULL");
  expect(cellText(["a", "b"])).toBe("a b");
  expect(cellText(false)).toBe("false");
});
