import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Field } from "../../contract/field.ts";
import { STREAMS, type StreamName, streams } from "../../contract/streams.ts";
import { clearAll } from "../support/engine.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  type Message,
  rawMessage,
  uuid,
} from "../support/messages.ts";
import { load, publish } from "../support/pipeline.ts";
import { useTestEngine } from "../support/use-engine.ts";

const engine = useTestEngine();
beforeEach(() => clearAll(engine.db));

const WELL_FORMED: Record<StreamName, Message> = {
  browser: browserMessage({}),
  location: locationMessage({}),
  device: deviceMessage({}),
  geo: geoMessage({}),
};

interface ErrorRow {
  raw: string;
  _key: string;
  error_reason: string;
  is_typed: boolean;
  _topic: string;
  _offset: number;
}

const errorsOf = (stream: StreamName): Promise<ErrorRow[]> =>
  engine.db.rows<ErrorRow>(
    `SELECT raw, _key, error_reason, is_typed, _topic, _offset FROM ods.${stream}_event_errors ORDER BY _offset`,
  );

/** Every raw message is typed, rejected with a reason, or both typed and marked. */
async function expectAllAccountedFor(): Promise<void> {
  for (const stream of STREAMS) {
    const [row] = await engine.db.rows(`
      SELECT
        (SELECT count() FROM stg.raw WHERE _topic = '${stream}_events') AS raw,
        (SELECT count() FROM ods.${stream}_event)
        + (SELECT countIf(NOT is_typed) FROM ods.${stream}_event_errors) AS accounted,
        (SELECT countIf(error_reason = '' OR _topic != '${stream}_events') FROM ods.${stream}_event_errors) AS nameless`);
    expect(row, stream).toMatchObject({ accounted: (row as { raw: number }).raw, nameless: 0 });
  }
}

const NOT_OBJECTS = [
  "",
  " ",
  "{",
  '{"event_id":',
  "null",
  "[]",
  "[1]",
  '"text"',
  "12",
  "nan",
  "\\",
  "}",
];

describe.each(STREAMS)("the %s stream", (stream) => {
  test("rejects what is not a JSON object, and keeps its bytes", async () => {
    await publish(engine.db, [
      ...NOT_OBJECTS.map((value) => rawMessage(stream, value)),
      WELL_FORMED[stream],
    ]);
    await load(engine.db, "full");
    const errors = await errorsOf(stream);
    expect(errors.map((row) => row.raw)).toEqual(NOT_OBJECTS);
    expect(new Set(errors.map((row) => row.error_reason))).toEqual(new Set(["malformed_json"]));
    await expectAllAccountedFor();
  });

  test("survives every truncation of a message", async () => {
    const { value } = WELL_FORMED[stream];
    const cuts = [...value].map((_, index) => rawMessage(stream, value.slice(0, index)));
    await publish(engine.db, cuts);
    await load(engine.db, "full");
    expect(await errorsOf(stream)).toHaveLength(cuts.length);
    await expectAllAccountedFor();
  });

  test("accounts for any JSON value in any field", async () => {
    const { value } = WELL_FORMED[stream];
    const payload = JSON.parse(value) as Record<string, unknown>;
    const bad = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(null, "", "NaN", -1e308, 1e308),
    );
    const names = Object.keys(streams[stream].fields);
    const mutation = fc.record({ field: fc.constantFrom(...names), bad });
    const mutations = fc.sample(mutation, { numRuns: 300, seed: 7 });
    const messages = mutations.map(({ field, bad }) =>
      rawMessage(stream, JSON.stringify({ ...payload, [field]: bad })),
    );
    await publish(engine.db, messages);
    await load(engine.db, "full");
    await expectAllAccountedFor();
  });

  test("marks a value that the contract refuses, unless it is one of a map", async () => {
    const payload = JSON.parse(WELL_FORMED[stream].value) as Record<string, unknown>;
    const refused = Object.entries<Field>(streams[stream].fields).flatMap(([name, field]) =>
      field.column.startsWith("Map(") || field.json.safeParse("no value").success
        ? []
        : [JSON.stringify({ ...payload, [name]: "no value" })],
    );
    await publish(
      engine.db,
      refused.map((value) => rawMessage(stream, value)),
    );
    await load(engine.db, "full");
    expect((await errorsOf(stream)).map(({ raw }) => raw)).toEqual(refused);
  });
});

test("accepts a message of one megabyte, unknown fields and duplicate keys", async () => {
  const { value } = WELL_FORMED.browser;
  await publish(engine.db, [
    rawMessage("browser", value.replace("{", `{"extra":"${"x".repeat(1_000_000)}",`)),
    rawMessage("browser", value.replace("{", '{"unknown":{"deep":[1,2]},')),
    rawMessage("browser", value.replace("}", `,"event_id":"${uuid(2)}"}`)),
  ]);
  await load(engine.db, "full");
  expect(await errorsOf("browser")).toEqual([]);
  await expectAllAccountedFor();
});

test("rejects invalid UTF-8 and keeps its bytes", async () => {
  await engine.db.run(
    `INSERT INTO stg.raw (epoch, _topic, _partition, _offset, raw)
     SELECT 1, 'browser_events', 0, 0, concat('{"event_id":"', unhex('ff'), '"}')`,
  );
  await load(engine.db, "full");
  const [row] = await engine.db.rows(
    "SELECT hex(raw) AS bytes, error_reason FROM ods.browser_event_errors",
  );
  expect(row).toEqual({
    bytes: "7B226576656E745F6964223A22FF227D",
    error_reason: "malformed_json",
  });
});

test.each([
  ["browser", { event_id: "nonsense" }, "bad_event_id", false],
  ["browser", { click_id: null }, "bad_click_id", false],
  ["browser", { event_timestamp: "yesterday" }, "bad_event_timestamp", false],
  ["browser", { event_timestamp: "1999-12-31 23:59:59" }, "bad_event_timestamp", false],
  ["browser", { event_timestamp: "2100-01-01 00:00:00" }, "bad_event_timestamp", false],
  ["browser", { event_id: "", event_timestamp: "" }, "bad_event_id,bad_event_timestamp", false],
  ["browser", { event_type: "" }, "bad_event_type", true],
  ["browser", { order_value: -1, currency: "euro" }, "bad_order_value,bad_currency", true],
  ["location", { page_url_path: "" }, "page_missing", true],
  ["device", { device_is_mobile: "perhaps" }, "bad_device_is_mobile", true],
  ["device", { user_domain_id: "not-a-uuid" }, "bad_user_domain_id", true],
  ["geo", { geo_latitude: 90.5 }, "bad_latitude", true],
  ["geo", { geo_latitude: "NaN", geo_country: "" }, "bad_latitude,country_missing", true],
  ["geo", { geo_longitude: null }, "bad_longitude", true],
  ["geo", { geo_country: "Germany" }, "country_missing", true],
  ["geo", { ip_address: "999.1.1.1" }, "bad_ip_address", true],
] as const)("a %s message with %j is marked %s", async (stream, fields, reason, isTyped) => {
  const payload = { ...JSON.parse(WELL_FORMED[stream].value), ...fields };
  const value = JSON.stringify(payload);
  await publish(engine.db, [{ ...rawMessage(stream, value), key: "its key" }]);
  await load(engine.db, "full");
  const asItCame = { raw: value, _key: "its key" };
  const expected = { ...asItCame, error_reason: reason, is_typed: isTyped };
  expect(await errorsOf(stream)).toMatchObject([expected]);
  await expectAllAccountedFor();
});

test.each(["2026-01-01T10:00:00.5Z", "2026-01-01 10:00:00", "1767261600"])(
  "accepts the timestamp %s",
  async (event_timestamp) => {
    await publish(engine.db, [browserMessage({ event_timestamp })]);
    await load(engine.db, "full");
    expect(await errorsOf("browser")).toEqual([]);
    const [row] = await engine.db.rows("SELECT toHour(event_timestamp) AS hour FROM dds.event");
    expect(row).toEqual({ hour: 10 });
  },
);

test("adds markers that need the emission time only if it is known", async () => {
  const at = Date.UTC(2026, 0, 1, 10) * 1000;
  await publish(engine.db, [
    browserMessage({ event_id: uuid(1) }, at + 16 * 60e6),
    browserMessage({ event_id: uuid(2) }, at - 6 * 60e6),
    browserMessage({ event_id: uuid(3) }, at + 14 * 60e6),
    browserMessage({ event_id: uuid(4) }, null),
  ]);
  await load(engine.db, "full");
  const rows = await engine.db.rows<{ reason: string }>(
    "SELECT error_reason AS reason FROM ods.browser_event_errors ORDER BY _offset",
  );
  expect(rows.map((row) => row.reason)).toEqual(["late_event", "skewed_clock"]);
});
