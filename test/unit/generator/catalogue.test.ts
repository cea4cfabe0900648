import { describe, expect, it } from "vitest";
import { payloadSchemas } from "../../../contract/streams.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { countries } from "../../../generator/catalogue/places.ts";
import { platforms } from "../../../generator/catalogue/platforms.ts";
import { sources } from "../../../generator/catalogue/sources.ts";
import { DonorPool } from "../../../generator/model/donors.ts";

const donors = catalogueDonors("coherence", 3000);
const cities = countries.flatMap((country) =>
  country.cities.map((city) => ({ ...city, country: country.code, languages: country.languages })),
);

describe("catalogue tables", () => {
  it("hold at least 20 countries, most of them with several cities", () => {
    expect(new Set(countries.map((country) => country.code)).size).toBe(countries.length);
    expect(countries.length).toBeGreaterThanOrEqual(20);
    expect(countries.filter((country) => country.cities.length > 1).length).toBeGreaterThan(20);
    // Two /16 networks per country have to fit into 100.64.0.0/10.
    expect(2 * countries.length).toBeLessThanOrEqual(64);
  });

  it.each(cities)("$name is in its time zone", ({ timezone, longitude }) => {
    const at = new Date("2026-01-01T12:00:00Z");
    const parts = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      timeZoneName: "longOffset",
    }).formatToParts(at);
    const offset = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(offset) ?? [];
    const utcOffset = Number(`${sign}1`) * (Number(hours) + Number(minutes) / 60);
    // Local time is within two and a half hours of solar time everywhere in the table.
    expect(Math.abs(utcOffset - longitude / 15)).toBeLessThan(2.5);
  });

  it("contain no real host name", () => {
    for (const { facts } of sources) {
      if (facts.referer_url !== "") expect(new URL(facts.referer_url).host).toMatch(/\.example$/);
      else expect(facts.referer_medium).toBe("direct");
    }
    const mediums = new Set(sources.map((source) => source.facts.referer_medium));
    expect([...mediums].sort()).toEqual(["direct", "email", "referral", "search", "social"]);
  });
});

describe("catalogue donors", () => {
  it("are the same for the same seed and different for another seed", () => {
    expect(catalogueDonors("coherence", 50)).toEqual(donors.slice(0, 50));
    expect(catalogueDonors("other", 50)).not.toEqual(donors.slice(0, 50));
    expect(new DonorPool(donors).size).toBe(3000);
  });

  it("use every country, platform and source", () => {
    const seen = <T>(of: (donor: (typeof donors)[number]) => T) => new Set(donors.map(of)).size;
    expect(seen((donor) => donor.geo.geo_country)).toBe(countries.length);
    expect(seen((donor) => `${donor.device.os} ${donor.device.device_type}`)).toBe(
      platforms.length,
    );
    expect(seen((donor) => JSON.stringify(donor.source))).toBe(sources.length);
  });

  it.each(["country", "device", "address"])("are consistent: %s", (aspect) => {
    for (const donor of donors) checks[aspect]?.(donor);
  });
});

const checks: Record<string, (donor: (typeof donors)[number]) => void> = {
  country({ geo, device, browser }) {
    const city = cities.find((each) => each.name === geo.geo_region_name);
    expect(city?.country).toBe(geo.geo_country);
    expect(city?.timezone).toBe(geo.geo_timezone);
    expect(device.os_timezone).toBe(geo.geo_timezone);
    expect(city?.languages).toContain(browser.browser_language);
    expect(Math.abs(geo.geo_latitude - (city?.latitude ?? 999))).toBeLessThanOrEqual(0.1001);
    expect(Math.abs(geo.geo_longitude - (city?.longitude ?? 999))).toBeLessThanOrEqual(0.1001);
  },
  device({ device, browser }) {
    const agent = browser.browser_user_agent;
    const marks: Record<string, RegExp> = {
      Windows: /Windows NT/,
      macOS: /Macintosh/,
      Linux: /X11; Linux/,
      Android: /Android/,
      iOS: /iPhone/,
      iPadOS: /iPad/,
    };
    expect(agent).toMatch(marks[device.os_name] ?? /^$/);
    expect(device.device_is_mobile).toBe(device.device_type !== "Computer");
    expect(device.device_type === "Mobile").toBe(/Mobile/.test(agent) && !/iPad/.test(agent));
    const names: Record<string, RegExp> = {
      Chrome: /Chrome\/[\d.]+ (Mobile )?Safari\/[\d.]+$/,
      Edge: /Edg\//,
      Firefox: /Firefox\//,
      Safari: /Version\/.*Safari/,
      "Samsung Internet": /SamsungBrowser/,
    };
    expect(agent).toMatch(names[browser.browser_name] ?? /^$/);
  },
  address({ geo, base_click_id }) {
    const [a, network = 0, ...rest] = geo.ip_address.split(".").map(Number);
    expect(a).toBe(100);
    const index = countries.findIndex((country) => country.code === geo.geo_country);
    expect([64 + 2 * index, 65 + 2 * index]).toContain(network);
    expect(rest).toHaveLength(2);
    expect(rest.every((part) => part >= 0 && part <= 255)).toBe(true);
    expect(payloadSchemas.geo.safeParse({ click_id: base_click_id, ...geo }).success).toBe(true);
  },
};

describe("donor pool", () => {
  it("accepts every visitor, but no duplicate id", () => {
    expect(() => new DonorPool([])).toThrow("has no donors");
    expect(() => new DonorPool([...donors.slice(0, 2), ...donors.slice(1, 2)])).toThrow(
      "equal base_click_id",
    );
  });
});
