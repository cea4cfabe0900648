import type { Donor } from "../model/donors.ts";
import { idSuffix } from "../model/ids.ts";

const AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/143.0.0.0 Safari/537.36";
const MACHINES = 8;

/** Bots in one data centre, in a country without other visitors. */
export const BOTS: readonly Donor[] = Array.from({ length: MACHINES }, (_, machine) => ({
  base_click_id: `b07b07b0-0000-4000-8000-${String(machine).padStart(8, "0")}${idSuffix(0)}`,
  browser: {
    browser_name: "Chrome",
    browser_user_agent: AGENT,
    browser_language: "en-US",
  },
  source: {
    referer_url: "",
    referer_medium: "direct",
    utm_medium: "",
    utm_source: "",
    utm_content: "",
    utm_campaign: "",
  },
  device: {
    os: "Ubuntu 24.04",
    os_name: "Linux",
    os_timezone: "UTC",
    device_type: "Computer",
    device_is_mobile: false,
  },
  geo: {
    geo_latitude: 1.3521,
    geo_longitude: 103.8198,
    geo_country: "SG",
    geo_timezone: "Asia/Singapore",
    geo_region_name: "Singapore",
    ip_address: `100.127.0.${machine + 1}`,
  },
}));
