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

const errorsOf = (stream: StreamName) =>
  engine.db.rows<{ raw: string; error_reason: string }>(
    `SELECT raw, error_reason FROM ods.${stream}_event_errors ORDER BY _offset`,
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

/** Publishes messages of every stream, and loads them. */
async function loadOfAll(messagesOf: (stream: StreamName) => readonly Message[]): Promise<void> {
  await publish(engine.db, STREAMS.flatMap(messagesOf));
  await load(engine.db, "full");
}

describe("every stream", () => {
  test("rejects what is not a JSON object, and keeps its bytes", async () => {
    await loadOfAll((stream) => [
      ...NOT_OBJECTS.map((value) => rawMessage(stream, value)),
      WELL_FORMED[stream],
    ]);
    for (const stream of STREAMS) {
      const errors = await errorsOf(stream);
      expect(errors.map((row) => row.raw)).toEqual(NOT_OBJECTS);
      expect(new Set(errors.map((row) => row.error_reason))).toEqual(new Set(["malformed_json"]));
    }
    await expectAllAccountedFor();
  });

  test("survives every truncation of a message", async () => {
    const cutsOf = (stream: StreamName) => {
      const { value } = WELL_FORMED[stream];
      return [...value].map((_, index) => rawMessage(stream, value.slice(0, index)));
    };
    await loadOfAll(cutsOf);
    for (const stream of STREAMS)
      expect(await errorsOf(stream)).toHaveLength(cutsOf(stream).length);
    await expectAllAccountedFor();
  });

  test("accounts for any JSON value in any field", async () => {
    await loadOfAll((stream) => {
      const payload = JSON.parse(WELL_FORMED[stream].value) as Record<string, unknown>;
      const bad = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(null, "", "NaN", -1e308, 1e308),
      );
      const names = Object.keys(streams[stream].fields);
      const mutation = fc.record({ field: fc.constantFrom(...names), bad });
      const mutations = fc.sample(mutation, { numRuns: 300, seed: 7 });
      return mutations.map(({ field, bad }) =>
        rawMessage(stream, JSON.stringify({ ...payload, [field]: bad })),
      );
    });
    await expectAllAccountedFor();
  });

  test("marks a value that the contract refuses, unless it is one of a map", async () => {
    const refusedOf = (stream: StreamName) => {
      const payload = JSON.parse(WELL_FORMED[stream].value) as Record<string, unknown>;
      return Object.entries<Field>(streams[stream].fields).flatMap(([name, field]) =>
        field.column.startsWith("Map(") || field.json.safeParse("no value").success
          ? []
          : [rawMessage(stream, JSON.stringify({ ...payload, [name]: "no value" }))],
      );
    };
    await loadOfAll(refusedOf);
    for (const stream of STREAMS) {
      const refused = refusedOf(stream).map(({ value }) => value);
      expect((await errorsOf(stream)).map(({ raw }) => raw)).toEqual(refused);
    }
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
