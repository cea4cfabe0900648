import { describe, expect, test } from "vitest";
import type { Field } from "../../../contract/field.ts";
import { DATABASES } from "../../../contract/layers.ts";
import { MARKERS, markers } from "../../../contract/markers.ts";
import { payloadSchemas, STREAMS, streams } from "../../../contract/streams.ts";
import { labelOf } from "../../../superset/columns.ts";
import { FUNCTION, readDeclared } from "../../../warehouse/declared.ts";

test.each(STREAMS)("ods has the contract's columns of the %s stream", (stream) => {
  const { table, fields } = streams[stream];
  const recorded = readDeclared().find(({ object }) => object === `ods.${table}`)?.columns ?? [];
  const declared = Object.entries<Field>(fields).map(([name, { column }]) => `${name} ${column}`);
  expect(recorded.map((column) => column.replace(/ (DEFAULT|CODEC).*/, ""))).toEqual(
    expect.arrayContaining(declared),
  );
});

test("the recorded schema has the contract's databases", () => {
  const inDatabases = readDeclared().filter(({ engine }) => engine !== FUNCTION);
  const databases = new Set(inDatabases.map(({ object }) => object.split(".")[0]));
  expect(databases).toEqual(new Set(DATABASES));
});

test("every marker has a distinct meaning", () => {
  expect(MARKERS.length).toBeGreaterThan(10);
  expect(new Set(Object.values(markers)).size).toBe(MARKERS.length);
});

const ID = "b58e9a1d-1f3c-4c1e-9d0b-0000002a0001";
const valid = {
  browser: {
    event_id: ID,
    event_timestamp: "2026-01-01 00:00:00.000001",
    event_type: "pageview",
    click_id: ID,
    browser_name: "Firefox",
    browser_user_agent: "Mozilla/5.0",
    browser_language: "de-DE",
  },
  location: {
    event_id: ID,
    page_url: "https://shop.example.com/home",
    page_url_path: "/home",
    referer_url: "",
    referer_medium: "direct",
    utm_medium: "",
    utm_source: "",
    utm_content: "",
    utm_campaign: "",
  },
  device: {
    click_id: ID,
    os: "Android 15",
    os_name: "Android",
    os_timezone: "Europe/Berlin",
    device_type: "Mobile",
    device_is_mobile: true,
    user_custom_id: "u-1",
    user_domain_id: null,
  },
  geo: {
    click_id: ID,
    geo_latitude: -90,
    geo_longitude: 180,
    geo_country: "DE",
    geo_timezone: "Europe/Berlin",
    geo_region_name: "Berlin",
    ip_address: "192.0.2.1",
  },
} as const;

describe("a payload", () => {
  test.each(STREAMS)("of the %s stream is accepted; each of its fields is required", (stream) => {
    expect(payloadSchemas[stream].parse(valid[stream])).toEqual(valid[stream]);
    for (const field of Object.keys(valid[stream])) {
      const { [field]: _, ...rest } = valid[stream] as Record<string, unknown>;
      expect(payloadSchemas[stream].safeParse(rest).success, field).toBe(false);
    }
  });

  test.each([
    ["device", { user_domain_id: ID }],
    ["browser", { event_type: "purchase", order_value: 19.99, currency: "EUR" }],
    ["browser", { event_type: "search", properties: { query: "shoes" } }],
    ["geo", { geo_latitude: 90, geo_longitude: -180 }],
  ] as const)("%s with %j is accepted", (stream, change) => {
    expect(payloadSchemas[stream].safeParse({ ...valid[stream], ...change }).success).toBe(true);
  });

  test.each([
    ["browser", { event_id: "1" }],
    ["browser", { event_type: "" }],
    ["browser", { event_type: "x".repeat(101) }],
    ["browser", { order_value: -1 }],
    ["browser", { currency: "euro" }],
    ["browser", { properties: { nested: {} } }],
    ["browser", { event_timestamp: "2026-01-01T00:00:00.000001" }],
    ["device", { user_domain_id: "nobody" }],
    ["device", { device_is_mobile: "true" }],
    ["geo", { geo_latitude: 90.1 }],
    ["geo", { geo_longitude: 180.1 }],
    ["geo", { geo_country: null }],
  ] as const)("%s with %j is refused", (stream, change) => {
    expect(payloadSchemas[stream].safeParse({ ...valid[stream], ...change }).success).toBe(false);
  });
});

test.each([
  ["geo_region_name", "Geo region name"],
  ["ip_address", "IP address"],
  ["os", "OS"],
  ["os_name", "Operating system"],
])("the heading of %s is %s", (column, heading) => {
  expect(labelOf(column)).toBe(heading);
});
