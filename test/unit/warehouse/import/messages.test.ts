import { expect, test } from "vitest";
import { payloadSchemas } from "../../../../contract/streams.ts";
import { parseMapping } from "../../../../warehouse/import/mapping.ts";
import { type Messages, messageMapper } from "../../../../warehouse/import/messages.ts";

const MAPPING = `
time: { format: iso, zone: Europe/Berlin }
columns:
  event_timestamp: at
  event_type: action
  click_id: session
  page_url: url
  referer_url: from
  device_type: device
  user_domain_id: user.account
  geo_country: country
  geo_latitude: lat
constants: { browser_name: unknown, geo_longitude: 1, ip_address: 192.0.2.1 }
values:
  event_type: { order: purchase, "*": pageview }
  page_url_path: { /thanks: /confirmation }
`;
const toMessages = messageMapper(parseMapping(MAPPING, "m.yaml"));
const ROW = {
  at: "2026-07-05 09:00:00",
  action: "scroll",
  session: "s1",
  url: "/cart?x=1",
  device: "Mobile",
  user: { account: "a1" },
  country: "DE",
  lat: "52.5",
};
const map = (values: object, content = "1") =>
  toMessages({ line: 2, content, values: { ...ROW, ...values } }, "a.csv");

test("a row becomes four messages of the contract", () => {
  const messages = map({}) as Required<Messages>;
  for (const [stream, schema] of Object.entries(payloadSchemas)) {
    expect(schema.safeParse(messages[stream as keyof Messages]).error, stream).toBeUndefined();
  }
  expect(messages.browser).toMatchObject({
    event_timestamp: "2026-07-05 07:00:00.000000",
    event_type: "pageview",
    browser_name: "unknown",
  });
  expect(messages.location).toMatchObject({ page_url_path: "/cart", referer_medium: "direct" });
  expect(messages.device).toMatchObject({ device_is_mobile: true });
  expect(messages.geo).toMatchObject({ geo_latitude: 52.5, geo_longitude: 1 });
  expect(map({ from: "https://a.example" })).toMatchObject({
    location: { referer_medium: "referral" },
  });
});

test("pages of a site are mapped to those of the funnel", () => {
  expect(map({ url: "https://shop.example.com/thanks#top" })).toMatchObject({
    location: {
      page_url: "https://shop.example.com/thanks#top",
      page_url_path: "/confirmation",
    },
  });
});

test("a campaign is that of the address, unless it has a column of its own", () => {
  const url = "https://a.example/?utm_campaign=spring+sale&utm_source=news%20letter#utm_medium=x";
  expect(map({ url })).toMatchObject({
    location: { utm_campaign: "spring sale", utm_source: "news letter", utm_medium: "" },
  });
  expect(map({ url: "/home" })).toMatchObject({ location: { utm_campaign: "" } });
  const own = parseMapping(
    MAPPING.replace("  device_type", "  utm_campaign: ad\n  device_type"),
    "m",
  );
  const row = { line: 2, content: "1", values: { ...ROW, url, ad: "" } };
  expect(messageMapper(own)(row, "a.csv")).toMatchObject({
    location: { utm_campaign: "", utm_source: "news letter" },
  });
});

test("a path of its own column ends before the query, which has the campaign", () => {
  const own = messageMapper(
    parseMapping(MAPPING.replace("page_url: url", "page_url_path: url"), "m"),
  );
  const location = (url: string) =>
    (own({ line: 2, content: "1", values: { ...ROW, url } }, "a.csv") as Messages).location;
  expect(location("/sale?utm_campaign=spring#top")).toMatchObject({
    page_url: "/sale?utm_campaign=spring#top",
    page_url_path: "/sale",
    utm_campaign: "spring",
  });
  expect(location("/sale#?utm_campaign=x")).toMatchObject({
    page_url_path: "/sale",
    utm_campaign: "",
  });
  expect(location("?utm_campaign=spring")).toMatchObject({ page_url_path: "/" });
  expect(location("/sale")).toMatchObject({ page_url: "/sale", page_url_path: "/sale" });
});

test("ids are stable: UUIDs stay, other texts and equal rows give equal UUIDs", () => {
  const idOf = (values: object, content?: string) =>
    (map(values, content) as Messages).browser as Record<string, string>;
  expect(idOf({}, "a").event_id).toBe(idOf({}, "a").event_id);
  expect(idOf({}, "a").event_id).not.toBe(idOf({}, "b").event_id);
  expect(idOf({}, "a").event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/);
  const uuid = "7C9E6679-7425-40DE-944B-000000000001";
  expect(idOf({ session: uuid }).click_id).toBe(uuid.toLowerCase());
  expect(idOf({ session: "s1" }).click_id).toBe(idOf({}).click_id);
});

test.each([
  [{ at: "05.07.2026" }, 'event_timestamp: at "05.07.2026" is not a time of the format iso'],
  [{ at: "" }, "event_timestamp: at is empty"],
  [
    { at: "1999-12-31 12:00" },
    'event_timestamp: at "1999-12-31 12:00" is 1999-12-31 11:00:00.000000 as iso. Allowed: 2000 to 2099',
  ],
  [{ session: null }, "click_id: session is empty"],
])("%j cannot be mapped", (values, reason) => {
  expect(map(values)).toEqual({ reason });
});

test("an unknown event type without a value for it cannot be mapped", () => {
  const strict = messageMapper(parseMapping(MAPPING.replace(', "*": pageview', ""), "m.yaml"));
  expect(strict({ line: 2, content: "", values: ROW }, "a.csv")).toEqual({
    reason:
      'event_type: action "scroll" is unknown. Allowed: pageview, purchase; map others with values.event_type',
  });
});

test("without a place column there is no geo message", () => {
  const text = MAPPING.replace(/ {2}geo_.*\n/g, "").replace(/, geo_longitude.*1 }/, " }");
  const row = { line: 2, content: "", values: ROW };
  const messages = messageMapper(parseMapping(text, "m.yaml"))(row, "a.csv");
  expect(Object.keys(messages)).toEqual(["browser", "location", "device"]);
});
