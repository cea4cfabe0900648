/**
 * Data-quality markers. Markers overlap: one record may carry several.
 * `rejects`: the record cannot be typed and stands in `ods.*_errors` only.
 */
export interface Marker {
  readonly layer: "ods" | "dds";
  readonly rejects: boolean;
  readonly meaning: string;
}

const rejecting = (meaning: string): Marker => ({ layer: "ods", rejects: true, meaning });
const typed = (meaning: string): Marker => ({ layer: "ods", rejects: false, meaning });
const integrated = (meaning: string): Marker => ({ layer: "dds", rejects: false, meaning });

export const markers = {
  malformed_json: rejecting("The payload is not one JSON object in valid UTF-8"),
  bad_event_id: rejecting("event_id is absent or not a UUID"),
  bad_click_id: rejecting("click_id is absent or not a UUID"),
  bad_event_timestamp: rejecting("event_timestamp is absent, unreadable or outside 2000 to 2100"),
  bad_event_type: typed("event_type is not one the contract knows"),
  late_event: typed("The event left the visitor more than 15 minutes after it happened"),
  skewed_clock: typed("The event claims to happen more than 5 minutes after it was sent"),
  page_missing: typed("page_url_path is absent or empty"),
  bad_device_is_mobile: typed("device_is_mobile is absent or not a boolean"),
  bad_user_domain_id: typed("user_domain_id is neither null nor a UUID"),
  bad_latitude: typed("geo_latitude is absent, not a number or outside -90 to 90"),
  bad_longitude: typed("geo_longitude is absent, not a number or outside -180 to 180"),
  country_missing: typed("geo_country is absent or not a two-letter code"),
  bad_ip_address: typed("ip_address is not an IPv4 or IPv6 address"),
  location_not_found: integrated("No location message is known for the event"),
  browser_missing: integrated("A visit of which no typed browser event is known"),
  device_missing: integrated("No typed device message is known for the visit"),
  geo_missing: integrated("No typed geo message is known for the visit"),
} as const satisfies Record<string, Marker>;

export type MarkerName = keyof typeof markers;
export const MARKERS = Object.keys(markers) as MarkerName[];
