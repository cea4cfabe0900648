import { describe, expect, test } from "vitest";
import type { Database } from "../../../../contract/ports.ts";
import {
  interruptedNotes,
  waitingForLoads,
} from "../../../../warehouse/reconciliation/interrupted-load.ts";
import type { MessageLine } from "../../../../warehouse/reconciliation/reconciliation.ts";
import type { Source } from "../../../../warehouse/sources/source.ts";
import { fakeDatabase } from "./fake-database.ts";
import { source } from "./sources.ts";

const line = (epoch: number, raw: number, undelivered = 0): MessageLine => ({
  ...{ epoch, stream: "geo", day: "", generated: null, inFlight: 0, undelivered },
  ...{ raw, typed: 0, rejected: 0, pending: 0, unaccounted: 0 },
});

const server = fakeDatabase(() => []).db;
const workspace = fakeDatabase(() => [], "DIR").db;

const open = (name: string, geo = 0) => source(name, { geo }, { isFinal: false });
const final = (name: string, geo = 0) => source(name, { geo });
const generator = (geo = 0) =>
  source("generator dev", { geo }, { kind: "generator", isFinal: false });

const reasons = (sources: Source[], lines = [line(2, 1_500, 4)], db: Database = server) =>
  waitingForLoads(db, 2, sources, lines).map(({ reason }) => reason);

describe("an unfinished load waits", () => {
  test("waits for its own end, not for a message of a stream", () => {
    const [waiting] = waitingForLoads(server, 2, [open("load-1")], [line(2, 3)]);
    expect(waiting).toEqual({
      ...{ layer: "stg", stream: null, count: 0, oldestSeconds: null, step: "pipeline data" },
      reason: 'the load "load-1" is running, or was interrupted, after 3 messages',
      hint: "run `make data`, which loads from the start in a new epoch",
    });
  });

  test("a finished load and a generator do not wait", () => {
    expect(reasons([final("load-1"), generator()])).toEqual([]);
  });

  test("reports what it has stated as sent", () => {
    expect(reasons([open("load-1", 7)])[0]).toContain("after 7 messages");
  });

  test("otherwise reports the messages of its epoch that no other source has sent", () => {
    expect(reasons([open("load-1")])[0]).toContain("after 1,504 messages");
    expect(reasons([open("load-1"), final("load-2", 500)])[0]).toContain("after 1,004 messages");
    expect(reasons([open("load-1"), final("load-2", 9_999)])[0]).toContain("after 0 messages");
    expect(reasons([open("load-1")], [line(1, 90)])[0]).toContain("after 0 messages");
  });

  test("reports nothing if another source may have sent these messages", () => {
    expect(reasons([open("load-1"), generator(3)])[0]).toContain("after 0 messages");
  });

  test("in a workspace waits for a repeat of the command", () => {
    const history = { ...open("load test"), kind: "history" } as const;
    const sources = [{ ...history, command: "scenario sale-day" }, history, open("demo")];
    const [scenario, other, data] = waitingForLoads(workspace, 2, sources, []);
    expect(scenario?.hint).toBe(
      "run `pipeline scenario sale-day --database DIR` to generate the data again",
    );
    expect(other?.hint).toBe("start the load test again");
    expect(data?.hint).toMatch(/^run `pipeline data --database DIR` .*in a new epoch$/);
  });
});

test("in an earlier epoch is only a note", () => {
  const stored = new Map([
    [1, [open("load-1"), final("load-2", 500)]],
    [2, [open("load-3")]],
  ]);
  expect(interruptedNotes(stored, 2, [line(1, 1_600), line(2, 90)])).toEqual([
    'The load "load-1" of epoch 1 was interrupted after 1,100 messages.',
  ]);
  expect(waitingForLoads(server, 2, stored.get(2) ?? [], [])).toHaveLength(1);
});
