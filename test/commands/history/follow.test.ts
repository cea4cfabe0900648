import { beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { parseMicros } from "../../../contract/time.ts";
import { followClick, interestingClick } from "../../../warehouse/follow/follow.ts";
import { renderTrace } from "../../../warehouse/follow/render.ts";
import { clearAll } from "../../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  type Message,
  rawMessage,
  uuid,
} from "../../support/messages.ts";
import { load, newEpoch, publish } from "../../support/pipeline.ts";
import { useTestEngine } from "../../support/use-engine.ts";

const CLICK = uuid(100);
const OTHER = uuid(200);
const at = (time: string) => parseMicros(`2026-01-01 10:${time}`);

/** A session of three pages with a truncated last location and an unreadable device message. */
const session: Message[] = [
  browserMessage({ event_id: uuid(1), event_timestamp: "2026-01-01 10:00:00.000001" }, at("00:00")),
  { ...locationMessage({ event_id: uuid(1) }), emittedAt: at("00:00") },
  { ...geoMessage({ geo_latitude: 999 }), key: CLICK, emittedAt: at("00:00") },
  { ...rawMessage("device", `{"click_id":"${CLICK}","os`), emittedAt: at("00:00") },
  browserMessage({ event_id: uuid(2), event_timestamp: "2026-01-01 10:01:00.000000" }, at("40:00")),
  { ...locationMessage({ event_id: uuid(2), page_url_path: "/cart" }), emittedAt: at("40:00") },
  browserMessage({ event_id: uuid(3), event_timestamp: "2026-01-01 10:02:00.000000" }, at("02:00")),
  { ...rawMessage("location", '{"event_id":"0000'), key: CLICK, emittedAt: at("02:00") },
];

/** Another session without defects. */
const other: Message[] = [
  browserMessage({ event_id: uuid(9), click_id: OTHER }, at("00:00")),
  locationMessage({ event_id: uuid(9) }),
  deviceMessage({ click_id: OTHER }),
  geoMessage({ click_id: OTHER }),
];

const engine = useTestEngine();
beforeEach(async () => {
  await clearAll(engine.db);
  await publish(engine.db, [...session, ...other]);
  await load(engine.db, "full");
});

describe("a session", () => {
  test("shows all its messages in order of emission, and none of another session", async () => {
    const { messages } = await followClick(engine.db, CLICK);
    expect(messages.map((m) => `${m.stream} ${m.offset} ${m.fate} ${m.markers.join()}`)).toEqual([
      "browser 0 typed ",
      "location 0 typed ",
      "device 0 rejected malformed_json",
      "geo 0 typed bad_latitude",
      "browser 2 typed ",
      "location 2 rejected malformed_json",
      "browser 1 typed late_event",
      "location 1 typed ",
    ]);
    expect(messages.map((m) => m.topic)).toContain("geo_events");
    expect(messages[2]?.raw).toBe(`{"click_id":"${CLICK}","os`);
    for (const message of messages) expect(message.partition).toBe(0);
  });

  test("shows its rows in every layer", async () => {
    const trace = await followClick(engine.db, CLICK);
    expect(trace.typed.browser.map((row) => row.event_id)).toEqual([uuid(1), uuid(2), uuid(3)]);
    expect(trace.typed.location).toHaveLength(2);
    expect(trace.typed.device).toEqual([]);
    expect(trace.typed.geo).toMatchObject([{ geo_country: "DE", geo_latitude: null }]);
    expect(trace.events.map((row) => row.page_url_path)).toEqual(["/home", "/cart", ""]);
    expect(trace.events[2]).toMatchObject({ markers: ["location_not_found"] });
    expect(trace.click).toMatchObject({ click_id: CLICK, geo_country: "DE" });
    expect(trace.session).toMatchObject({ click_id: CLICK, page_events: 3 });
  });

  test("has increasing times along the layers", async () => {
    const { messages } = await followClick(engine.db, CLICK);
    for (const { hops } of messages) {
      const times = [hops.broker, hops.ingested, hops.loaded, hops.integrated, hops.presented];
      expect(times).not.toContain(null);
      expect(times.toSorted()).toEqual(times);
      expect(hops.emitted).toMatch(/^2026-01-01 10:/);
    }
  });

  test("is the same in either case of its id", async () => {
    const click = "AAAAAAAA-0000-4000-8000-000000000001";
    await publish(engine.db, [deviceMessage({ click_id: click.toLowerCase() })]);
    await load(engine.db, "incremental");
    expect((await followClick(engine.db, click)).messages).toHaveLength(1);
  });

  test("names every layer as text", async () => {
    const text = renderTrace(await followClick(engine.db, CLICK));
    for (const part of [CLICK, "location_events", "ods.device_event", "malformed_json", "/cart"]) {
      expect(text).toContain(part);
    }
    expect(text).toContain(`device 0:0\n    {"click_id":"${CLICK}",`);
  });

  test("begins with a summary and fits 120 columns as text", async () => {
    const lines = renderTrace(await followClick(engine.db, CLICK)).split("\n");
    expect(lines[0]).toBe(`Session ${CLICK}`);
    expect(lines[1]).toMatch(/^ {2}stg {2}\d+ messages: \d+ typed, 2 rejected$/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

describe("a message that is", () => {
  test("not loaded yet is pending, without later layers", async () => {
    const late = { ...locationMessage({ event_id: uuid(3) }), key: CLICK };
    await publish(engine.db, [late]);
    const { messages } = await followClick(engine.db, CLICK);
    const pending = messages.filter((message) => message.fate === "pending");
    expect(pending).toMatchObject([
      { stream: "location", hops: { loaded: null, presented: null } },
    ]);
    await load(engine.db, "incremental");
    const loaded = (await followClick(engine.db, CLICK)).messages.find(
      (message) => message.offset === pending[0]?.offset && message.stream === "location",
    );
    expect(loaded?.fate).toBe("typed");
    expect(loaded?.hops.presented).not.toBeNull();
  });

  test("below the watermark and in no layer is lost", async () => {
    await publish(engine.db, [{ ...deviceMessage({ click_id: uuid(300) }), key: uuid(300) }]);
    await load(engine.db, "incremental");
    await engine.db.run("DELETE FROM ods.device_event WHERE click_id = {click:UUID}", {
      click: uuid(300),
    });
    const { messages } = await followClick(engine.db, uuid(300));
    expect(messages).toMatchObject([{ fate: "lost" }]);
  });

  test("past its time to live has no payload, but rows", async () => {
    await engine.db.run("DELETE FROM stg.raw WHERE _topic = 'browser_events'");
    const { messages, events } = await followClick(engine.db, CLICK);
    const gone = messages.filter((message) => message.raw === null);
    // The late one is marked, so its error row still has the payload.
    expect(gone.map((message) => message.stream)).toEqual(["browser", "browser"]);
    expect(events).toHaveLength(3);
    expect(renderTrace(await followClick(engine.db, CLICK))).toContain("no longer in stg");
  });

  test("from a previous epoch comes first", async () => {
    await newEpoch(engine.db);
    await publish(engine.db, session);
    await load(engine.db, "incremental");
    const epochs = (await followClick(engine.db, CLICK)).messages.map((message) => message.epoch);
    expect(epochs).toHaveLength(16);
    expect(epochs.toSorted()).toEqual(epochs);
  });
});

describe("a wrong id", () => {
  test.each(["12", "", "x'; DROP TABLE dm.session; --"])("%j is not a click_id", async (id) => {
    await expect(followClick(engine.db, id)).rejects.toThrow(UserError);
    await expect(followClick(engine.db, id)).rejects.toThrow("is not a click_id");
  });

  test("an unknown one is refused with a way to find one", async () => {
    const error = await followClick(engine.db, uuid(999)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: expect.stringContaining(uuid(999)),
      hint: expect.stringContaining("SELECT click_id"),
    });
  });
});

describe("without an id", () => {
  test("chooses the session with the most defects", async () => {
    expect(await interestingClick(engine.db)).toBe(CLICK);
  });
  test("chooses any session if none has a defect", async () => {
    await clearAll(engine.db);
    await publish(engine.db, other);
    await load(engine.db, "full");
    expect(await interestingClick(engine.db)).toBe(OTHER);
  });
  test("names an empty dm with the next command", async () => {
    await clearAll(engine.db);
    await expect(interestingClick(engine.db)).rejects.toThrow("dm has no sessions yet");
  });
});
