import { createHash } from "node:crypto";
import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { payloadSchemas } from "../../contract/streams.ts";
import { pick, type Rng } from "./random.ts";

const { browser, location, device, geo } = payloadSchemas;

/** What the sessions of a donor have in common. */
export const donorSchema = z.object({
  /** `click_id` of the original session. */
  base_click_id: browser.shape.click_id,
  browser: browser.omit({
    event_id: true,
    event_timestamp: true,
    event_type: true,
    click_id: true,
    site: true,
    order_value: true,
    currency: true,
    properties: true,
  }),
  source: location.omit({ event_id: true, page_url: true, page_url_path: true }),
  device: device.omit({ click_id: true, user_custom_id: true, user_domain_id: true }),
  geo: geo.omit({ click_id: true }),
});
export type Donor = Readonly<z.infer<typeof donorSchema>>;

const OTHER_DATA =
  "set GEN_DATA_DIR to another dataset (pipeline dataset write DIR), or unset it to use the built-in donors";

/** Donor with facts serialised as JSON members, without the braces. */
export interface PreparedDonor {
  /** Place in the pool. */
  readonly index: number;
  readonly id: string;
  readonly facts: Donor;
  readonly browser: string;
  readonly source: string;
  readonly device: string;
  readonly geo: string;
  readonly neighbours: readonly PreparedDonor[];
}

export class DonorPool {
  /** Digest of all donors; part of the configuration fingerprint. */
  readonly digest: string;
  readonly all: readonly PreparedDonor[];
  /** Donors of bots, which `draw` never returns. */
  readonly bots: readonly PreparedDonor[];
  readonly #byId: ReadonlyMap<string, PreparedDonor>;

  /** Prepares the donors. @throws UserError if there are none, or two have the same id */
  constructor(donors: readonly Donor[], bots: readonly Donor[] = []) {
    if (donors.length === 0)
      throw new UserError("The dataset has no donors, because no session is complete", OTHER_DATA);
    const prepared = prepareAll([...donors, ...bots]);
    this.all = prepared.slice(0, donors.length);
    this.bots = prepared.slice(donors.length);
    this.#byId = new Map(prepared.map((donor) => [donor.id, donor]));
    if (this.#byId.size < prepared.length)
      throw new UserError("The dataset has donors with equal base_click_id", OTHER_DATA);
    this.digest = createHash("sha256")
      .update(JSON.stringify(bots.length === 0 ? donors : { donors, bots }))
      .digest("hex");
  }

  get facts(): Donor[] {
    return this.all.map((donor) => donor.facts);
  }

  get size(): number {
    return this.all.length;
  }

  isBot(donor: PreparedDonor): boolean {
    return donor.index >= this.size;
  }

  draw(rng: Rng): PreparedDonor {
    return pick(rng, this.all);
  }

  find(baseClickId: string): PreparedDonor | undefined {
    return this.#byId.get(baseClickId);
  }
}

function prepareAll(donors: readonly Donor[]): PreparedDonor[] {
  const places = new Map<string, PreparedDonor[]>();
  return donors.map((donor, index) => {
    const place = `${donor.geo.geo_country} ${donor.geo.geo_region_name}`;
    const neighbours = places.get(place) ?? [];
    places.set(place, neighbours);
    const prepared: PreparedDonor = {
      index,
      id: donor.base_click_id,
      facts: donor,
      browser: members(donor.browser),
      source: members(donor.source),
      device: members(donor.device),
      geo: members(donor.geo),
      neighbours,
    };
    neighbours.push(prepared);
    return prepared;
  });
}

const members = (facts: object): string => JSON.stringify(facts).slice(1, -1);
