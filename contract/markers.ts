/** Data-quality markers and their meaning. Markers overlap: one record may carry several. */
export const markers = {
  // Set by load_ods for records that are only in ods.*_errors.
  erased: "The message of a visitor who was erased: it keeps its place and nothing else",
  expired:
    "The message is older than `ods` keeps: it keeps its place, its markers and nothing else",
  session_expired: "The message came after its session had left `ods`, and expired at once",
  malformed_json: "The payload is not one JSON object in valid UTF-8",
  bad_event_id: "event_id is absent or not a UUID",
  bad_click_id: "click_id is absent or not a UUID",
  bad_event_timestamp:
    "event_timestamp is neither a time in ISO 8601 nor a number since 1970, or is outside 2000 to 2100",
  // Set by load_ods for records that are typed nevertheless.
  bad_event_type: "event_type is absent, empty or longer than 100 characters",
  bad_order_value: "order_value is not a number from 0",
  bad_currency: "currency is not three capital letters",
  late_event: "The event was sent more than 15 minutes after it happened",
  skewed_clock: "event_timestamp is more than 5 minutes after the event was sent",
  page_missing: "page_url_path is absent or empty",
  bad_device_is_mobile: "device_is_mobile is absent or not a boolean",
  bad_user_domain_id: "user_domain_id is neither null nor a UUID",
  bad_latitude: "geo_latitude is absent, not a number or outside -90 to 90",
  bad_longitude: "geo_longitude is absent, not a number or outside -180 to 180",
  country_missing: "geo_country is absent or not a two-letter code",
  bad_ip_address: "ip_address is not an IPv4 or IPv6 address",
  // Set by load_dds.
  location_not_found: "The event has no typed location message",
  browser_missing: "The session has no typed browser event",
  device_missing: "The session has no typed device message",
  geo_missing: "The session has no typed geo message",
} as const satisfies Readonly<Record<string, string>>;

export type MarkerName = keyof typeof markers;
export const MARKERS = Object.keys(markers) as MarkerName[];
