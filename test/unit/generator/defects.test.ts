import { describe, expect, it } from "vitest";
import { type DefectCounts, type DefectKind, noDefects } from "../../../contract/defects.ts";
import type { MessageBatch } from "../../../contract/ports.ts";
import { payloadSchemas, STREAMS, type StreamName } from "../../../contract/streams.ts";
import { HOUR, MINUTE, parseMicros } from "../../../contract/time.ts";
import { simulationOf } from "../../../generator/behaviour/behaviour.ts";
import { DefectDice, NO_DEFECTS, TYPICAL_DEFECTS } from "../../../generator/model/defects.ts";
import { seededRng } from "../../../generator/model/random.ts";
import { configWith, donors } from "./support.ts";

function run(defects: string, hours = 12) {
  const config = configWith({ GEN_DEFECTS: defects });
  const simulation = simulationOf(config, donors);
  return { batch: simulation.advance(config.t0 + hours * HOUR), simulation };
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Counts of defects found in the messages, without knowledge of the injection. */
function detect(batch: MessageBatch): DefectCounts {
  const found = noDefects();
  const sound = (stream: StreamName) => batch[stream].values.filter(isJson);
  for (const stream of STREAMS) {
    found.malformed[stream] = batch[stream].values.length - sound(stream).length;
  }
  found.duplicate.browser = sound("browser").length - new Set(sound("browser")).size;
  batch.browser.values.forEach((text, i) => {
    if (!isJson(text)) return;
    const delay = Number(batch.browser.emittedAt[i]) - happenedAt(text);
    if (delay >= 30 * MINUTE && delay < 3 * HOUR) found.late.browser += 1;
    else if (delay <= -HOUR && delay > -12 * HOUR) found.skewed_clock.browser += 1;
    else if (delay !== 0) throw new Error(`off by ${delay} µs: ${text}`);
  });
  found.late.location = found.late.browser;
  found.bad_geo.geo = sound("geo").filter(
    (text) =>
      !payloadSchemas.geo.safeParse(JSON.parse(text)).success || text.includes(`"geo_country":""`),
  ).length;
  const distinct = (stream: StreamName) => new Set(batch[stream].keys).size;
  found.missing_device.device = distinct("geo") - distinct("device");
  const pages = batch.browser.values.length - found.duplicate.browser;
  found.missing_location.location = pages - batch.location.values.length;
  return found;
}

const happenedAt = (text: string): number => parseMicros(JSON.parse(text).event_timestamp);

describe("injected defects", () => {
  it.each([
    "typical",
    "none",
    "malformed=1",
    "late=1",
    "duplicate=1",
    "missing_location=1",
    "missing_device=1",
    "bad_geo=1",
    "skewed_clock=1",
    "malformed=0.2,late=0.2,duplicate=0.2,missing_location=0.2,skewed_clock=0.2,bad_geo=0.5,missing_device=0.3",
  ])("%s: the counts equal those found in the messages", (defects) => {
    const { batch, simulation } = run(defects, 4);
    expect(detect(batch)).toEqual(simulation.defects);
  });

  it("occur at their rates", () => {
    const { simulation } = run("typical", 72);
    const { events, sessions } = simulation.counters;
    const near = (count: number, of: number, kind: DefectKind, share = 1) => {
      const expected = of * TYPICAL_DEFECTS[kind] * share;
      expect(Math.abs(count - expected), kind).toBeLessThan(5 * Math.sqrt(expected));
    };
    const { defects } = simulation;
    near(defects.late.browser, events, "late");
    near(defects.duplicate.browser, events, "duplicate");
    near(defects.missing_location.location, events, "missing_location");
    near(defects.skewed_clock.browser, events, "skewed_clock");
    near(defects.malformed.browser, events, "malformed", 0.5);
    near(defects.malformed.location, events, "malformed", 0.5);
    near(defects.malformed.device, sessions, "malformed", 0.5);
    near(defects.malformed.geo, sessions, "malformed", 0.5);
    near(defects.missing_device.device, sessions, "missing_device");
    near(defects.bad_geo.geo, sessions, "bad_geo");
  });

  it("never affect one event or one session twice", () => {
    const { batch } = run(
      "malformed=0.3,late=0.3,duplicate=0.2,missing_location=0.1,skewed_clock=0.1",
    );
    const cutLocations = batch.location.values.filter((text) => !isJson(text));
    const cutBrowsers = batch.browser.values.filter((text) => !isJson(text));
    expect(cutLocations.length).toBeGreaterThan(0);
    const idOf = (text: string) => text.slice(13, 49);
    const hit = [...cutLocations, ...cutBrowsers].map(idOf);
    expect(new Set(hit).size).toBe(hit.length);
    const locations = new Set(batch.location.values.map(idOf));
    expect(cutBrowsers.filter((text) => !locations.has(idOf(text)))).toEqual([]);
  });

  it("change geo facts in every way, one per session", () => {
    const ways = new Set<string>();
    for (const text of run("bad_geo=1").batch.geo.values) {
      const { geo_latitude, geo_longitude, geo_country } = JSON.parse(text);
      const faults = [
        geo_latitude === 999 ? "latitude 999" : [],
        geo_longitude === -999 || geo_longitude === "abc" ? `longitude ${geo_longitude}` : [],
        geo_country === "" || geo_country === null ? `country ${geo_country}` : [],
      ].flat();
      expect(faults).toHaveLength(1);
      ways.add(faults[0] ?? "");
    }
    expect(ways.size).toBe(5);
  });

  it("keep late events in order of emission, between on-time ones", () => {
    const { batch, simulation } = run("late=0.3");
    const times = batch.browser.emittedAt.map(Number);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const pending = simulation.snapshot().late.length;
    expect(pending).toBeGreaterThan(0);
    expect(simulation.counters.events).toBe(batch.browser.values.length + pending);
  });
});

describe("an incident", () => {
  const [from, to] = [parseMicros("2026-01-01T10:00:00Z"), parseMicros("2026-01-01T11:00:00Z")];
  const incident = { from, to, defect: "missing_location", share: 1 } as const;
  const at = (time: number, device = "Mobile", given: object = incident) =>
    new DefectDice(seededRng("1", "defects"), NO_DEFECTS, [{ ...incident, ...given }]).ofEvent(
      time,
      device,
    );

  it("begins with its first microsecond and ends before its last", () => {
    expect([from - 1, from, to - 1, to].map((time) => at(time))).toEqual([
      null,
      "missing_location",
      "missing_location",
      null,
    ]);
  });

  it("leaves other devices and the rest of its share alone", () => {
    expect(at(from, "Tablet", { device: "Tablet" })).toBe("missing_location");
    expect(at(from, "Mobile", { device: "Tablet" })).toBe(null);
    expect(at(from, "Mobile", { share: 0 })).toBe(null);
  });
});
