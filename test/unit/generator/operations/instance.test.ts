import type { Admin } from "@platformatic/kafka";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { emptyStatement } from "../../../../contract/statement.ts";
import { HEADERS, STATE_TOPIC } from "../../../../contract/topics.ts";
import { isOfLoadsOnly, readInstance } from "../../../../generator/operations/instance.ts";
import { liveInstances } from "../../../../generator/operations/liveness.ts";
import { cleanRecord } from "../../../../generator/operations/record.ts";

const EPOCH = 7;
const NOW = 1_000_000;

interface Stored {
  readonly text: string;
  readonly epoch?: number;
  readonly age?: number;
}

/** Records of the state topic and texts of the sources, by instance. */
let states: Record<string, Stored> = {};
let sources: Record<string, string> = {};
/** Epochs in the headers of the messages of geo_events, and the log ends of each topic. */
let messages: (number | undefined)[] = [];
let ends: Record<string, number[]> = {};

vi.mock("../../../../kafka/epoch.ts", () => ({
  requireTopics: async () => undefined,
  requireEpoch: async () => EPOCH,
  readEpoch: async () => ({ epoch: EPOCH }),
}));
vi.mock("../../../../kafka/sources.ts", () => ({
  readSourceTexts: async () => new Map(Object.entries(sources)),
  readSourceRecords: async () => {
    if (Object.values(sources).includes("damaged")) throw new Error("a source is damaged");
    return new Map(Object.keys(sources).map((key) => [key, { manifest: { seed: key } }]));
  },
}));
vi.mock("../../../../kafka/read.ts", () => ({
  readLatest: async (_: Admin, topic: string, key: string) => {
    const found = topic === STATE_TOPIC ? states[key] : undefined;
    if (found === undefined) return null;
    const { text, epoch = EPOCH, age = 0 } = found;
    const headers = new Map([[HEADERS.epoch, String(epoch)]]);
    return { value: Buffer.from(text), headers, timestamp: NOW - age * 1000 };
  },
  offsetRanges: async () => [{ partition: 0, start: 0n, end: 9n }],
  logEnds: async (_: Admin, topic: string) => ends[topic] ?? [9, 9],
  readCommitted: async function* (_: Admin, topic: string) {
    for (const epoch of topic === "geo_events" ? messages : []) {
      yield { headers: new Map(epoch === undefined ? [] : [[HEADERS.epoch, String(epoch)]]) };
    }
  },
}));

const admin = { listTopics: async () => [STATE_TOPIC] } as unknown as Admin;
const written = (more: object = {}): Stored => ({
  text: JSON.stringify({ ...cleanRecord(), phase: "import", batches: 1, ...more }),
});
const read = (ignoreState = false) => readInstance(admin, { instance: "dev", ignoreState });

beforeEach(() => {
  states = {};
  sources = {};
  messages = [];
  ends = {};
});

describe("an instance", () => {
  test("has the record of this epoch, its manifest, and the other sources", async () => {
    states = { dev: written() };
    sources = { dev: "", other: "" };
    const found = await read();
    expect(found).toMatchObject({ epoch: EPOCH, isWritten: true, others: ["other"], strays: [] });
    expect([found.record?.batches, found.manifest?.seed]).toEqual([1, "dev"]);
  });

  test("has no record of another epoch, and is written if it is a source", async () => {
    states = { dev: { ...written(), epoch: EPOCH - 1 } };
    expect(await read()).toMatchObject({ stored: null, record: null, isWritten: false });
    sources = { dev: "" };
    expect(await read()).toMatchObject({ stored: null, record: null, isWritten: true });
  });

  test("is not parsed if its state is ignored", async () => {
    states = { dev: { text: "damaged" } };
    sources = { dev: "damaged" };
    const found = { stored: "damaged", record: null, manifest: null, isWritten: true };
    expect(await read(true)).toMatchObject(found);
  });

  test.each([
    ["without a header", [undefined], {}, ["geo_events"]],
    ["of this epoch behind others", [EPOCH - 1, EPOCH], {}, ["geo_events"]],
    ["of another epoch", [EPOCH - 1], {}, []],
    ["of another source", [EPOCH], { other: "" }, []],
    ["of its own", [EPOCH], { dev: "" }, []],
  ])("finds messages of unknown origin: %s", async (_, sent, from, strays) => {
    messages = sent;
    sources = from;
    expect((await read()).strays).toEqual(strays);
  });

  test.each([
    ["as long as recorded", [3, 2], []],
    ["longer", [4, 3], []],
    ["shorter in one partition", [9, 1], ["geo_events"]],
    ["without a partition", [9], ["geo_events"]],
    ["without the messages of the last transaction", [3, 2], ["geo_events"], 6],
  ])("finds topics that are %s", async (_, now, shortened, geo = 5) => {
    const statement = emptyStatement();
    const said = { ...statement, counts: { ...statement.counts, geo } };
    states = { dev: written({ ends: { geo_events: [3, 2] }, statement: said }) };
    ends = { geo_events: now };
    expect((await read()).shortened).toEqual(shortened);
  });

  test.each([
    [["load-1", "load-2"], true],
    [["load-1", "other"], false],
    [["load-1", "dev"], false],
    [[], false],
  ])("beside %j: only loads %j", async (names, expected) => {
    sources = Object.fromEntries(names.map((name) => [name, ""]));
    expect(isOfLoadsOnly(await read())).toBe(expected);
  });
});

describe("an instance is live", () => {
  const live = (age: number, more: object = {}) => ({
    ...written({ phase: "live", ...more }),
    age,
  });
  const tick = { generator: { settings: { GEN_TICK_SECONDS: "10" } } };
  test.each([
    ["two ticks and five seconds after its batch", live(14.9), true],
    ["later", live(15), false],
    ["with its own tick", live(24.9, tick), true],
    ["later with its own tick", live(25, tick), false],
    ["in another phase within five seconds", live(4.9, { phase: "backfill" }), true],
    ["in another phase later", live(5, { phase: "backfill" }), false],
    ["with a damaged record within five seconds", { text: "damaged", age: 4.9 }, true],
    ["unless it has stopped", live(0, { stopped: true }), false],
  ])("%s", async (_, state, isLive) => {
    // Who is live must be known also if a manifest is damaged.
    sources = { dev: "damaged", "load-1": "", gone: "" };
    states = { dev: state, "load-1": live(0) };
    expect(await liveInstances(admin, NOW)).toEqual(isLive ? ["dev"] : []);
  });
});
