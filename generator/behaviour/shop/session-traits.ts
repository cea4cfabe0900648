import { type ReturnSource, returnSources } from "../../catalogue/sources.ts";
import type { Donor, PreparedDonor } from "../../model/donors.ts";
import type { User } from "../../model/population.ts";
import type { ShopParameters } from "./parameters.ts";

export const VARIANTS = ["a", "b"] as const;
export type Variant = (typeof VARIANTS)[number];

/** What decides how a session goes on. */
export interface SessionTraits {
  readonly device: string;
  readonly country: string;
  readonly channel: string;
  readonly campaign: string;
  readonly isReturning: boolean;
  /** Empty for bots. */
  readonly variant: Variant | "";
  /** Empty unless a step depends on the browser. */
  readonly browser: string;
}

/** Returns the name and the major version. */
function browserOf({ browser_name: name, browser_user_agent: agent }: Donor["browser"]): string {
  const own = /(?:Edg|SamsungBrowser|Firefox|Version)\/(\d+)/.exec(agent);
  const version = (own ?? /Chrome\/(\d+)/.exec(agent))?.[1] ?? "";
  return `${name} ${version}`.trim();
}

const dependsOnBrowser = ({ steps }: ShopParameters): boolean =>
  steps.confirmation.browser !== undefined;

const channelOf = ({ utm_medium, referer_medium }: Donor["source"]): string =>
  utm_medium || referer_medium;

export const isPaid = ({ referralChain }: ShopParameters, donor: PreparedDonor): boolean =>
  referralChain.paidChannels.includes(channelOf(donor.facts.source));

const sourceOf = (donor: PreparedDonor, origin: ReturnSource | undefined): Donor["source"] =>
  origin === undefined ? donor.facts.source : returnSources[origin];

/** Only later sessions have an origin. */
export function traitsOf(
  parameters: ShopParameters,
  donor: PreparedDonor,
  origin: ReturnSource | undefined,
  variant: Variant,
) {
  const source = sourceOf(donor, origin);
  return {
    device: donor.facts.device.device_type,
    country: donor.facts.geo.geo_country,
    channel: channelOf(source),
    campaign: source.utm_campaign,
    isReturning: origin !== undefined,
    variant,
    browser: dependsOnBrowser(parameters) ? browserOf(donor.facts.browser) : "",
  } satisfies SessionTraits;
}

/** The identifier is random hexadecimal, so its first three digits assign the variant. */
export function assignment({ experiment }: ShopParameters): (user: User) => Variant {
  const limit = experiment.share * 4096;
  return ({ customId }) =>
    digit(customId, 0) * 256 + digit(customId, 1) * 16 + digit(customId, 2) < limit ? "b" : "a";
}

/** Returns a hexadecimal digit; faster than parseInt, which would copy it. */
export function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 58 ? code - 48 : code - 87;
}
