import { z } from "zod";
import {
  amount,
  category,
  currencyCode,
  degrees,
  type Field,
  flag,
  instant,
  nullableUuid,
  optional,
  text,
  textMap,
  uuidKey,
} from "./field.ts";

/** Types of page events. Any other type is an event of its own, never a page view. */
export const EVENT_TYPES = ["pageview", "purchase"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const MAX_TYPE_LENGTH = 100;

/** Pages in funnel order; the two products share a stage. */
export const PAGES = [
  "/home",
  "/product_a",
  "/product_b",
  "/cart",
  "/payment",
  "/confirmation",
] as const;
export type Page = (typeof PAGES)[number];

const browser = {
  event_id: uuidKey("Event; joins the browser and the location stream"),
  event_timestamp: instant("When the event happened by the visitor's clock, UTC"),
  event_type: {
    json: z.string().min(1).max(MAX_TYPE_LENGTH),
    column: "LowCardinality(String)",
    description:
      "pageview and purchase are page events, refund takes back the value of an order; any other type counts as itself",
  },
  click_id: uuidKey("Session the event belongs to; joins all streams"),
  site: optional(category("Site, such as a domain or the id of an app; empty without one")),
  browser_name: category("Browser family"),
  browser_user_agent: category("User-Agent header"),
  browser_language: category("Accept-Language tag"),
  order_value: optional(
    amount("Value of the order, or of the item of the event; NULL without one"),
  ),
  currency: optional(currencyCode("Currency of order_value, ISO 4217; empty without one")),
  properties: optional(textMap("Further facts of the event, by name")),
} satisfies Record<string, Field>;

const location = {
  event_id: uuidKey("Event; joins the browser and the location stream"),
  page_url: category("Full page address"),
  page_url_path: category("Path of the page address"),
  referer_url: category(
    "Address of the previous page or site; in generated data the one that the session came from; empty if unknown",
  ),
  referer_medium: category(
    "Class of the referrer: search, social, video, shopping, email, referral, internal, direct",
  ),
  utm_medium: category("Campaign medium"),
  utm_source: category("Campaign source"),
  utm_content: category("Campaign content"),
  utm_campaign: category("Campaign name"),
} satisfies Record<string, Field>;

const device = {
  click_id: uuidKey("Session; joins all streams"),
  os: category("Operating system with version"),
  os_name: category("Operating system family"),
  os_timezone: category("Time zone of the device"),
  device_type: category("Kind of device: Computer, Mobile, Tablet, Bot, or another name"),
  device_is_mobile: flag("Whether the device is a phone or tablet"),
  user_custom_id: text("Stable browser-side identifier of the visitor, unique across sites"),
  user_domain_id: nullableUuid("Account of a registered visitor; NULL for anonymous ones"),
} satisfies Record<string, Field>;

const geo = {
  click_id: uuidKey("Session; joins all streams"),
  geo_latitude: degrees(90, "Latitude, degrees north"),
  geo_longitude: degrees(180, "Longitude, degrees east"),
  geo_country: category("ISO 3166-1 alpha-2 country code"),
  geo_timezone: category("Time zone of the place"),
  geo_region_name: category("Region or city"),
  ip_address: text("Address of the visitor, IPv4 or IPv6"),
} satisfies Record<string, Field>;

/** The four event streams: one topic and one `ods` table pair each. */
export const streams = {
  browser: { topic: "browser_events", table: "browser_event", fields: browser },
  location: { topic: "location_events", table: "location_event", fields: location },
  device: { topic: "device_events", table: "device_event", fields: device },
  geo: { topic: "geo_events", table: "geo_event", fields: geo },
} as const;

export type StreamName = keyof typeof streams;
export const STREAMS = Object.keys(streams) as StreamName[];

export const byStream = <T>(of: (stream: StreamName) => T): Record<StreamName, T> =>
  Object.fromEntries(STREAMS.map((stream) => [stream, of(stream)])) as Record<StreamName, T>;

/** Fields that messages may lack, by name. */
export const OPTIONAL_FIELDS: Readonly<Record<string, Field>> = Object.fromEntries(
  STREAMS.flatMap((stream) => Object.entries<Field>(streams[stream].fields)).filter(
    ([, { json }]) => json.safeParse(undefined).success,
  ),
);

type Schema<F extends Record<string, Field>> = z.ZodObject<{ [K in keyof F]: F[K]["json"] }>;
type Schemas = { [S in StreamName]: Schema<(typeof streams)[S]["fields"]> };

export type Payload = { [S in StreamName]: z.infer<Schemas[S]> };

/** Validators of well-formed payloads, for tests and for reading a user's dataset. */
export const payloadSchemas = Object.fromEntries(
  STREAMS.map((stream) => [
    stream,
    z.object(
      Object.fromEntries(
        Object.entries<Field>(streams[stream].fields).map(([name, field]) => [name, field.json]),
      ),
    ),
  ]),
) as unknown as Schemas;
