import type { Donor } from "../model/donors.ts";
import {
  below,
  idPrefix,
  idSuffix,
  pick,
  pickWeighted,
  type Rng,
  seededRng,
  uniform,
} from "../model/random.ts";
import { type Country, countries } from "./places.ts";
import { type Platform, platforms } from "./platforms.ts";
import { sources } from "./sources.ts";

export const CATALOGUE_SIZE = 2000;

export function catalogueDonors(seed: string, count: number = CATALOGUE_SIZE): Donor[] {
  const rng = seededRng(seed, "donors");
  return Array.from({ length: count }, (_, index) => catalogueDonor(rng, index));
}

function catalogueDonor(rng: Rng, index: number): Donor {
  const country = pickWeighted(rng, countries);
  const platform = pickWeighted(rng, platforms);
  const browser = pickWeighted(rng, platform.browsers);
  const city = pick(rng, country.cities);
  return {
    base_click_id: idPrefix(rng, index) + idSuffix(0),
    browser: {
      browser_name: browser.name,
      browser_user_agent: browser.userAgent,
      browser_language: pick(rng, country.languages),
    },
    source: pickWeighted(rng, sources).facts,
    device: device(platform, city.timezone),
    geo: {
      geo_latitude: nearby(rng, city.latitude),
      geo_longitude: nearby(rng, city.longitude),
      geo_country: country.code,
      geo_timezone: city.timezone,
      geo_region_name: city.name,
      ip_address: address(rng, country),
    },
  };
}

const device = (platform: Platform, timezone: string): Donor["device"] => ({
  os: platform.os,
  os_name: platform.osName,
  os_timezone: timezone,
  device_type: platform.deviceType,
  device_is_mobile: platform.deviceType !== "Computer",
});

/** Returns a coordinate within 0.1 degrees (about 10 km) of the centre, with four decimals. */
const nearby = (rng: Rng, centre: number): number =>
  Math.round((centre + (uniform(rng) - 0.5) / 5) * 10_000) / 10_000;

/** Returns an address in 100.64.0.0/10 (RFC 6598), which no internet host has; two /16 per country. */
function address(rng: Rng, country: Country): string {
  const network = 64 + 2 * countries.indexOf(country) + below(rng, 2);
  return `100.${network}.${below(rng, 256)}.${1 + below(rng, 254)}`;
}
