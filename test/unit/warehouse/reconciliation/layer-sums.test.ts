import { describe, expect, test } from "vitest";
import { compareLayers } from "../../../../warehouse/reconciliation/layer-sums.ts";
import type { Progress } from "../../../../warehouse/reconciliation/progress.ts";
import type { WaitingLine } from "../../../../warehouse/reconciliation/reconciliation.ts";
import { fakeDatabase } from "./fake-database.ts";
import { DONE, dmSteps } from "./progress.ts";

const STEPS = {
  stg: "",
  ods: "load_ods",
  dds: "load_dds",
  events: "load_dm_events",
  sessions: "load_dm_sessions",
  visitors: "load_dm_visitors",
  summary: "load_dm_summary",
};

const sums = Object.entries(STEPS).map(([identity, step]) => ({
  ...{ layer: step.includes("_dm_") ? "dm" : identity, identity, step, expected: 2, found: 1 },
}));

const waitsInDm: WaitingLine = {
  ...{ layer: "dm", stream: "browser", count: 1, oldestSeconds: 1, step: "load_dm_sessions" },
  hint: "",
};

/** Names of the comparisons in this state. */
async function compared(progress: Partial<Progress>, waiting: readonly WaitingLine[] = []) {
  const { db, asked } = fakeDatabase(() => sums);
  const lines = await compareLayers(db, waiting, { ...DONE, ...progress });
  expect(asked.map(({ params }) => params)).toEqual([{ dds_load: 3 }]);
  expect(lines.map(({ expected, found }) => [expected, found])).toEqual(sums.map(() => [2, 1]));
  expect(lines.some((line) => "step" in line)).toBe(false);
  return lines.filter(({ isCompared }) => isCompared).map(({ identity }) => identity);
}

describe("sums of layers", () => {
  test("are compared for all layers if every step has committed", async () => {
    expect(await compared({})).toEqual(Object.keys(STEPS));
  });

  test("are compared for stg and ods alone while a load writes dds", async () => {
    expect(await compared({ is_dds_interrupted: 1 })).toEqual(["stg", "ods"]);
  });

  test("exclude the table of dm that a load writes, and the summary that counts it", async () => {
    const rest = ["stg", "ods", "dds", "sessions", "visitors"];
    expect(
      await compared({ dm_steps: dmSteps({ load_dm_events: { is_interrupted: 1 } }) }),
    ).toEqual(rest);
  });

  test("exclude a table of dm with an outdated step, those computed from it, and the summary", async () => {
    expect(await compared({}, [waitsInDm])).toEqual(["stg", "ods", "dds", "events"]);
  });

  test("include dds with any outdated step of dm", async () => {
    const dds = { ...waitsInDm, step: "load_dds" };
    expect(await compared({}, [dds])).toContain("dds");
  });

  test("include all tables if only earlier layers wait", async () => {
    expect(await compared({}, [{ ...waitsInDm, layer: "dds" }])).toEqual(Object.keys(STEPS));
  });

  test("exclude only the summary while a load writes it", async () => {
    const all = Object.keys(STEPS).filter((name) => name !== "summary");
    expect(
      await compared({ dm_steps: dmSteps({ load_dm_summary: { is_interrupted: 1 } }) }),
    ).toEqual(all);
  });
});
