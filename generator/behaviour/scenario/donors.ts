import { catalogueDonors } from "../../catalogue/donors.ts";
import { type Donor, DonorPool } from "../../model/donors.ts";
import { idSuffix } from "../../model/random.ts";
import type { ModelConfig } from "../config.ts";
import type { Scenario } from "./scenario.ts";

type Config = Pick<ModelConfig, "seed" | "scenario">;

/** Returns the donors of a configuration: those of the catalogue, or others, changed by its scenario. */
export function donorPool(
  { seed, scenario }: Config,
  donors: readonly Donor[] = catalogueDonors(seed),
): DonorPool {
  if (scenario === null) return new DonorPool(donors);
  const hasBots = scenario.events.some(({ kind }) => kind === "bots");
  return new DonorPool(updated(donors, scenario.update), hasBots ? BOTS : []);
}

/** Gives a share of a browser's users, evenly spread, its later version. */
function updated(donors: readonly Donor[], update: Scenario["update"]): readonly Donor[] {
  if (update === undefined) return donors;
  let users = 0;
  return donors.map((donor) => {
    const { browser_name, browser_user_agent: agent } = donor.browser;
    if (browser_name !== update.browser || !agent.includes(update.from)) return donor;
    users += 1;
    if (Math.floor(users * update.share) === Math.floor((users - 1) * update.share)) return donor;
    const later = agent.replaceAll(update.from, update.to);
    return { ...donor, browser: { ...donor.browser, browser_user_agent: later } };
  });
}

const AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/143.0.0.0 Safari/537.36";
const MACHINES = 8;

/** Bots in one data centre, in a country without other visitors. */
const BOTS: readonly Donor[] = Array.from({ length: MACHINES }, (_, machine) => ({
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
