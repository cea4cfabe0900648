import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAGES, payloadSchemas, STREAMS, streams } from "../../../contract/streams.ts";
import { formatMicros, type Micros } from "../../../contract/time.ts";
import { plainCourse } from "../../../generator/behaviour/plain.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { type Donor, DonorPool } from "../../../generator/model/donors.ts";
import {
  browserMessage,
  deviceMessage,
  geoMessage,
  locationMessage,
  typeMember,
} from "../../../generator/model/messages.ts";
import { EXIT } from "../../../generator/model/pages.ts";
import { makeSession } from "../../../generator/model/session.ts";
import { anyCharacter } from "./any-character.ts";
import { configWith, payloads, simulate } from "./support.ts";

const AT: Micros = 1_767_225_600_000_001;
const NO_SHOPPING = { from: EXIT, others: 0, basket: [0, 0] } as const;
const ID = "b58e9a1d-1f3c-4c1e-9d0b-0000002a";

/** A session with the facts of this donor, after its third page event. */
function sessionOf(donor: Donor) {
  const home = new DonorPool([donor]).find(donor.base_click_id);
  if (!home) throw new Error("unreachable");
  const user = { customId: "u-1", domainId: null, home, loyalty: "casual" } as const;
  const facts = {
    at: AT,
    sequence: 42,
    idPrefix: ID,
    user,
    donor: home,
    page: 3,
    sent: 3,
    ...NO_SHOPPING,
  };
  return makeSession(facts, plainCourse(home));
}

describe("messages", () => {
  const plain = simulate(configWith(), 120).batch;
  const shop = simulate(configWith({ GEN_BEHAVIOUR: "shop" }), 120).batch;

  it.each(STREAMS)("of the %s stream follow the contract, with fields in its order", (stream) => {
    const names = Object.keys(streams[stream].fields);
    const wrong = [...plain[stream].values, ...shop[stream].values].filter((text) => {
      const payload = JSON.parse(text);
      const isValid = payloadSchemas[stream].safeParse(payload).success;
      const inOrder = names.filter((name) => name in payload);
      return (
        !isValid || `${Object.keys(payload)}` !== `${inOrder}` || JSON.stringify(payload) !== text
      );
    });
    expect(wrong).toEqual([]);
    expect(plain[stream].values.length).toBeGreaterThan(100);
    expect(shop[stream].values.length).toBeGreaterThan(100);
  });

  it("have no money and no properties in plain", () => {
    const names = Object.keys(streams.browser.fields);
    const isOptional = (name: string) => ["order_value", "currency", "properties"].includes(name);
    for (const payload of payloads(plain, "browser")) {
      expect(Object.keys(payload)).toEqual(names.filter((name) => !isOptional(name)));
    }
  });

  it("reach every page", () => {
    const paths = new Set(payloads(plain, "location").map((row) => row.page_url_path));
    expect([...paths].sort()).toEqual([...PAGES].sort());
  });

  it("name the account of a registered user", () => {
    const [base] = catalogueDonors("account", 1);
    if (!base) throw new Error("unreachable");
    const session = sessionOf(base);
    const registered = { ...session, user: { ...session.user, domainId: `${ID}0001` } };
    expect(JSON.parse(deviceMessage(registered)).user_domain_id).toBe(`${ID}0001`);
    expect(JSON.parse(deviceMessage(session)).user_domain_id).toBeNull();
  });

  it("preserve any text of a dataset", () => {
    const [base] = catalogueDonors("escape", 1);
    if (!base) throw new Error("unreachable");
    const text = fc.string({ unit: anyCharacter, maxLength: 20 });
    const facts = fc.record({
      browser_name: text,
      browser_user_agent: text,
      browser_language: text,
      referer_url: text,
      utm_campaign: text,
      os: text,
      geo_region_name: text,
    });
    fc.assert(
      fc.property(facts, (given) => {
        const { browser_name, browser_user_agent, browser_language } = given;
        const browser = { browser_name, browser_user_agent, browser_language };
        const { referer_url, utm_campaign, os, geo_region_name } = given;
        const donor: Donor = {
          base_click_id: base.base_click_id,
          browser,
          source: { ...base.source, referer_url, utm_campaign },
          device: { ...base.device, os },
          geo: { ...base.geo, geo_region_name },
        };
        const session = sessionOf(donor);
        const id = { event_id: `${ID}0003` };
        const click = { click_id: `${ID}0000` };
        expect(JSON.parse(browserMessage(session, AT, typeMember("pageview"), ""))).toEqual({
          ...id,
          event_timestamp: formatMicros(AT),
          event_type: "pageview",
          ...click,
          site: "generated",
          ...browser,
        });
        expect(JSON.parse(locationMessage(session, session.page))).toEqual({
          ...id,
          page_url: "https://shop.example.com/cart",
          page_url_path: "/cart",
          ...donor.source,
        });
        expect(JSON.parse(deviceMessage(session))).toEqual({
          ...click,
          ...donor.device,
          user_custom_id: "u-1",
          user_domain_id: null,
        });
        expect(JSON.parse(geoMessage(session))).toEqual({ ...click, ...donor.geo });
      }),
      { numRuns: 100, seed: 1 },
    );
  });
});
