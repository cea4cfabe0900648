/** Data-quality markers and their meaning. Markers overlap: one record may carry several. */
export const markers = {
  // Found by load_ods; the record cannot be typed and is in ods.*_errors only.
  malformed_json: "The payload is not one JSON object in valid UTF-8",
  bad_event_id: "event_id is absent or not a UUID",
  bad_click_id: "click_id is absent or not a UUID",
  bad_event_timestamp: "event_timestamp is absent, unreadable or outside 2000 to 2100",
  // Found by load_ods; the record is typed nevertheless.
  bad_event_type: "event_type is not one the contract knows",
  late_event: "The event left the visitor more than 15 minutes after it happened",
  skewed_clock: "The event claims to happen more than 5 minutes after it was sent",
  page_missing: "page_url_path is absent or empty",
  bad_device_is_mobile: "device_is_mobile is absent or not a boolean",
  bad_user_domain_id: "user_domain_id is neither null nor a UUID",
  bad_latitude: "geo_latitude is absent, not a number or outside -90 to 90",
  bad_longitude: "geo_longitude is absent, not a number or outside -180 to 180",
  country_missing: "geo_country is absent or not a two-letter code",
  bad_ip_address: "ip_address is not an IPv4 or IPv6 address",
  // Found by load_dds.
  location_not_found: "No location message is known for the event",
  browser_missing: "A session of which no typed browser event is known",
  device_missing: "No typed device message is known for the session",
  geo_missing: "No typed geo message is known for the session",
} as const satisfies Readonly<Record<string, string>>;

export type MarkerName = keyof typeof markers;
export const MARKERS = Object.keys(markers) as MarkerName[];
