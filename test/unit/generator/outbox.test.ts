import { describe, expect, it } from "vitest";
import { type DefectCounts, type DefectKind, noDefects } from "../../../contract/defects.ts";
import type { MessageBatch } from "../../../contract/ports.ts";
import { STREAMS } from "../../../contract/streams.ts";
import { HOUR, MINUTE } from "../../../contract/time.ts";
import { plainCourse } from "../../../generator/behaviour/plain.ts";
import { BatchBuilder } from "../../../generator/model/batch-builder.ts";
import { DefectDice, NO_DEFECTS } from "../../../generator/model/defects.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
} from "../../../generator/model/messages.ts";
import { type Rng, seededRng } from "../../../generator/model/random.ts";
import { makeSession, type Session } from "../../../generator/model/session.ts";
import { shares } from "./scripted.ts";
import { donors } from "./support.ts";

const AT = 1_767_225_600_000_000;
const FIRST_HALF = 0.49;
const SECOND_HALF = 0.5;

const home = donors.draw(seededRng("outbox", ""));
const user = { customId: "u-1", domainId: null, home, loyalty: "casual" } as const;
const sessionAt = (sent: number, sequence = 1): Session =>
  makeSession(
    {
      at: AT,
      sequence,
      idPrefix: `b58e9a1d-1f3c-4c1e-9d0b-0000000${sequence}`,
      user,
      donor: home,
      page: 0,
      sent,
    },
    plainCourse(home),
  );

/** An outbox that gives every event and session this defect, with these random numbers. */
const outboxWith = (kind: DefectKind | null, rng: Rng, late: BatchBuilder["late"][] = []) =>
  new BatchBuilder(
    new DefectDice(rng, kind === null ? NO_DEFECTS : { ...NO_DEFECTS, [kind]: 1 }),
    late.flatMap((queue) => queue.toSorted()),
  );

const values = (batch: MessageBatch) =>
  Object.fromEntries(STREAMS.map((stream) => [stream, batch[stream].values]));
const nothing = { browser: [], location: [], device: [], geo: [] };
const counted = (kind: DefectKind, counts: Partial<DefectCounts[DefectKind]>) => {
  const all = noDefects();
  Object.assign(all[kind], counts);
  return all;
};

describe("a page event", () => {
  const session = sessionAt(3);
  const browser = browserMessage(session, AT);
  const location = locationMessage(session);
  const send = (kind: DefectKind | null, rng: Rng) => {
    const outbox = outboxWith(kind, rng);
    outbox.page(session, AT);
    return { sent: outbox.take(), defects: outbox.defects, late: outbox.late };
  };

  it("is a browser and a location message, keyed by the session, emitted at its time", () => {
    const { sent, defects } = send(null, shares(0));
    const one = (value: string) => ({ keys: [session.clickId], values: [value], emittedAt: [AT] });
    const none = { keys: [], values: [], emittedAt: [] };
    expect(sent).toEqual({
      browser: one(browser),
      location: one(location),
      device: none,
      geo: none,
    });
    expect(defects).toEqual(noDefects());
  });

  it.each([
    ["browser", FIRST_HALF, browser],
    ["location", SECOND_HALF, location],
  ] as const)("has only a malformed %s message", (stream, half, whole) => {
    const { sent, defects } = send("malformed", shares(0, half, 0.5));
    const cut = whole.slice(0, whole.length / 2);
    expect(values(sent)).toEqual({
      ...nothing,
      browser: [browser],
      location: [location],
      [stream]: [cut],
    });
    expect(defects).toEqual(counted("malformed", { [stream]: 1 }));
  });

  it("has its browser message sent twice, byte for byte", () => {
    const { sent, defects } = send("duplicate", shares(0));
    expect(values(sent)).toEqual({
      ...nothing,
      browser: [browser, browser],
      location: [location],
    });
    expect(defects).toEqual(counted("duplicate", { browser: 1 }));
  });

  it("has no location message", () => {
    const { sent, defects } = send("missing_location", shares(0));
    expect(values(sent)).toEqual({ ...nothing, browser: [browser] });
    expect(defects).toEqual(counted("missing_location", { location: 1 }));
  });

  it("is stamped 1 to 12 hours ahead, and emitted at its time", () => {
    for (const [share, ahead] of [
      [0, HOUR],
      [0.5, 6.5 * HOUR],
    ] as const) {
      const { sent, defects } = send("skewed_clock", shares(0, share, 0));
      expect(values(sent)).toEqual({
        ...nothing,
        browser: [browserMessage(session, AT + ahead)],
        location: [location],
      });
      expect(sent.browser.emittedAt).toEqual([AT]);
      expect(defects).toEqual(counted("skewed_clock", { browser: 1 }));
    }
  });

  it("is late by 30 minutes to 3 hours, and counted when it is emitted", () => {
    for (const [share, delay] of [
      [0, 30 * MINUTE],
      [0.5, 105 * MINUTE],
    ] as const) {
      const outbox = outboxWith("late", shares(0, share, 0));
      outbox.page(session, AT);
      expect(values(outbox.take())).toEqual(nothing);
      expect(outbox.defects).toEqual(noDefects());
      expect(outbox.late.dueAt).toBe(AT + delay);
      // As after a restart.
      const restored = outboxWith(null, shares(), [outbox.late]);
      restored.releaseLate();
      const sent = restored.take();
      expect(values(sent)).toEqual({ ...nothing, browser: [browser], location: [location] });
      for (const stream of ["browser", "location"] as const) {
        expect(sent[stream]).toMatchObject({ keys: [session.clickId], emittedAt: [AT + delay] });
      }
      expect(restored.defects).toEqual(counted("late", { browser: 1, location: 1 }));
      expect(restored.late.size).toBe(0);
      restored.releaseLate();
      expect(values(restored.take())).toEqual(nothing);
    }
  });

  it("leaves in the order of session and event if others are due at the same microsecond", () => {
    const outbox = outboxWith("late", shares(...Array(12).fill(0)));
    for (const [sequence, sent] of [
      [2, 1],
      [1, 30_000],
      [1, 2],
      [2, 0],
    ] as const) {
      outbox.page(sessionAt(sent, sequence), AT);
    }
    for (let n = 0; n < 4; n += 1) outbox.releaseLate();
    const ids = outbox.take().browser.values.map((text) => JSON.parse(text).event_id.slice(-6));
    expect(ids).toEqual(["010002", "017530", "020000", "020001"]);
  });
});

describe("the start of a session", () => {
  const session = sessionAt(0);
  const [device, geo] = [deviceMessage(session), geoMessage(session)];
  const send = (kind: DefectKind | null, rng: Rng) => {
    const outbox = outboxWith(kind, rng);
    outbox.session(session, AT);
    return { sent: outbox.take(), defects: outbox.defects };
  };

  it("is a device and a geo message", () => {
    const { sent, defects } = send(null, shares(0));
    expect(values(sent)).toEqual({ ...nothing, device: [device], geo: [geo] });
    for (const stream of ["device", "geo"] as const) {
      expect(sent[stream]).toMatchObject({ keys: [session.clickId], emittedAt: [AT] });
    }
    expect(defects).toEqual(noDefects());
  });

  it.each([
    ["device", FIRST_HALF, device],
    ["geo", SECOND_HALF, geo],
  ] as const)("has only a malformed %s message", (stream, half, whole) => {
    // Truncated between a quarter and three quarters of its length.
    for (const [share, part] of [
      [0, 0.25],
      [0.999_999, 0.75],
    ] as const) {
      const { sent, defects } = send("malformed", shares(0, half, share));
      const cut = whole.slice(0, Math.floor(whole.length * part - 1e-3));
      expect(values(sent)).toMatchObject({
        device: [device],
        geo: [geo],
        [stream]: [expect.any(String)],
      });
      expect(Math.abs((sent[stream].values[0]?.length ?? 0) - cut.length)).toBeLessThanOrEqual(1);
      expect(whole.startsWith(sent[stream].values[0] ?? "x")).toBe(true);
      expect(defects).toEqual(counted("malformed", { [stream]: 1 }));
    }
  });

  it("has no device message", () => {
    const { sent, defects } = send("missing_device", shares(0));
    expect(values(sent)).toEqual({ ...nothing, geo: [geo] });
    expect(defects).toEqual(counted("missing_device", { device: 1 }));
  });

  it.each([
    [0.1, { geo_latitude: 999 }],
    [0.3, { geo_longitude: -999 }],
    [0.5, { geo_longitude: "abc" }],
    [0.7, { geo_country: "" }],
    [0.9, { geo_country: null }],
  ])("has one impossible fact of its place, at %d %j", (share, fault) => {
    const { sent, defects } = send("bad_geo", shares(0, share));
    const [text = ""] = sent.geo.values;
    expect(JSON.parse(text)).toEqual({ ...JSON.parse(geo), ...fault });
    expect(values(sent)).toEqual({ ...nothing, device: [device], geo: [text] });
    expect(defects).toEqual(counted("bad_geo", { geo: 1 }));
  });
});

describe("the choice of a defect", () => {
  const rates = { ...NO_DEFECTS, malformed: 0.1, late: 0.2, duplicate: 0.3, bad_geo: 0.4 };
  const event = (share: number) => new DefectDice(shares(share), rates).ofEvent(0, "Computer");
  const session = (share: number) => new DefectDice(shares(share), rates).ofSession();

  it("follows from the rates, one after another", () => {
    expect([0, 0.099].map(event)).toEqual(["malformed", "malformed"]);
    expect([0.101, 0.299].map(event)).toEqual(["late", "late"]);
    expect([0.301, 0.599].map(event)).toEqual(["duplicate", "duplicate"]);
    expect([0.601, 0.999].map(event)).toEqual([null, null]);
    expect([0, 0.099, 0.101, 0.499, 0.501].map(session)).toEqual([
      "malformed",
      "malformed",
      "bad_geo",
      "bad_geo",
      null,
    ]);
  });

  it("is exact at the border: a rate of a half is half of the numbers", () => {
    const dice = (share: number) =>
      new DefectDice(shares(share), { ...NO_DEFECTS, late: 0.5, malformed: 0.25 }).ofEvent(
        0,
        "Computer",
      );
    expect([0.25 - 2 ** -32, 0.25, 0.75 - 2 ** -32, 0.75].map(dice)).toEqual([
      "malformed",
      "late",
      "late",
      null,
    ]);
  });
});

it("a new outbox counts from zero, a restored one continues", () => {
  const before = counted("duplicate", { browser: 4 });
  const dice = new DefectDice(shares(0), { ...NO_DEFECTS, duplicate: 1 });
  const outbox = new BatchBuilder(dice, [], before);
  outbox.page(sessionAt(1), AT);
  expect(outbox.defects.duplicate.browser).toBe(5);
  expect(values(outbox.take()).browser).toHaveLength(2);
  expect(values(outbox.take())).toEqual(nothing);
});
