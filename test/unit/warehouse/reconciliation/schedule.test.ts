import { describe, expect, test } from "vitest";
import { LOADS_UNTIL_LATE } from "../../../../contract/schedule.ts";
import type {
  MessageLine,
  Reconciliation,
  WaitingLine,
} from "../../../../warehouse/reconciliation/reconciliation.ts";
import { renderReconciliation } from "../../../../warehouse/reconciliation/render.ts";
import { requireComplete } from "../../../../warehouse/reconciliation/requirements.ts";
import { readSchedule, withSchedule } from "../../../../warehouse/reconciliation/schedule.ts";
import { fakeDatabase } from "./fake-database.ts";

const wait = (line: Partial<WaitingLine> = {}): WaitingLine => ({
  ...{ layer: "ods", stream: "browser", count: 1_200, oldestSeconds: 130 },
  ...{ step: "load_ods", hint: "run `make transform`" },
  ...line,
});

const message = (stream: MessageLine["stream"]): MessageLine => ({
  ...{ epoch: 1, stream, day: "2026-01-01", generated: 5, inFlight: 0, undelivered: 0 },
  ...{ raw: 5, typed: 5, rejected: 0, pending: 0, unaccounted: 0 },
});

const reconciliation = (waiting: readonly WaitingLine[]): Reconciliation => ({
  ...{
    epoch: 1,
    origin: "generated" as const,
    checksum: null,
    layers: [],
    defects: [],
    lost: [],
    onlyCopies: 0,
    digests: [],
  },
  ...{ notes: [], database: null, inFlight: 0, unaccounted: 0, verdict: "incomplete" },
  messages: [message("browser"), message("geo")],
  waiting,
});

const schedule = { everySeconds: 300, nextInSeconds: 123 };

describe("messages between two scheduled loads", () => {
  const found = reconciliation([wait(), wait({ stream: "geo", count: 34 })]);

  test("are up to date: how many wait, and until when, without a hint", () => {
    const onTime = withSchedule(found, schedule);
    expect(() => requireComplete(onTime)).not.toThrow();
    const text = renderReconciliation(onTime);
    expect(text).toMatch(/browser .* 1,200 │ +0 │ up to date/);
    expect(text).toMatch(
      /Up to date: 0 unaccounted, 1,234 messages waiting for the next load, due within 123 s\.$/,
    );
    expect(text).not.toMatch(/hint|incomplete/i);
  });

  test("are counted once if several steps of dm wait for them", () => {
    const steps = ["load_dm_events", "load_dm_sessions"].map((step) =>
      wait({ layer: "dm", step, count: 7 }),
    );
    const due = withSchedule(reconciliation(steps), { ...schedule, nextInSeconds: 0 });
    const text = renderReconciliation(due);
    expect(text).toContain("7 messages waiting for the next load, due now.");
  });

  test("have a command if no scheduler loads them", () => {
    const text = renderReconciliation(found);
    expect(text).toContain("load_ods is behind. hint: run `make transform`");
    expect(text).toContain("Incomplete: 0 unaccounted so far.");
  });
});

describe("messages that the schedule should have loaded", () => {
  const late = withSchedule(
    reconciliation([wait({ oldestSeconds: LOADS_UNTIL_LATE * schedule.everySeconds })]),
    schedule,
  );

  test("are overdue, and the hint leads to the paused DAG", () => {
    const text = renderReconciliation(late);
    expect(text).toMatch(/browser .* incomplete/);
    expect(text).toMatch(
      /load_ods is overdue\. hint: run `make dags`, which shows whether etl_live/,
    );
    expect(() => requireComplete(late)).toThrow(/load_ods is overdue/);
  });

  test.each([
    ["messages that no reader has stored", wait({ layer: "stg", step: "stg.queue" })],
    ["a step of unknown age", wait({ oldestSeconds: null })],
  ])("%s are not up to date, and keep their hint", (_, line) => {
    const found = withSchedule(reconciliation([line]), schedule);
    expect(found.isOnTime).toBe(false);
    expect(found.waiting).toEqual([line]);
  });
});

test("the next load is due one interval after the last one", async () => {
  const at = (load_seconds: number) => fakeDatabase(() => [{ load_seconds }]).db;
  expect(await readSchedule(at(180), 300)).toEqual({ everySeconds: 300, nextInSeconds: 120 });
  expect(await readSchedule(at(400), 300)).toEqual({ everySeconds: 300, nextInSeconds: 0 });
});
