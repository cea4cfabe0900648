import { type ReturnSource, returnSources } from "../../catalogue/sources.ts";
import type { DonorPool, PreparedDonor } from "../../model/donors.ts";
import { USES_HOME_DEVICE } from "../plain.ts";
import type { ShopParameters } from "./parameters.ts";
import { isPaid, type SessionTraits, traitsOf, VARIANTS } from "./session-traits.ts";

/** A kind of session and its share of all sessions of new, or of all of returning, visitors. */
export interface Cell {
  readonly traits: SessionTraits;
  /** Whether the visitor's first session came from a paid channel. */
  readonly isAfterPaid: boolean;
  readonly weight: number;
}

interface Group {
  /** Any donor of the group. */
  readonly donor: PreparedDonor;
  weight: number;
  /** Part of the weight whose visitors first came from a paid channel. */
  paidWeight: number;
}

/** In the long run a session's donor is uniform over the pool: home is, and so are its neighbours. */
export const mixtureOf = (parameters: ShopParameters, donors: DonorPool): Cell[] => [
  ...firstSessions(parameters, donors),
  ...laterSessions(parameters, donors),
];

function firstSessions(parameters: ShopParameters, donors: DonorPool): Cell[] {
  const groups = grouped(donors, parameters, ({ device, country, channel, campaign, browser }) =>
    [device, country, channel, campaign, browser].join("\n"),
  );
  return groups.flatMap(({ donor, weight }) =>
    VARIANTS.map((variant) => ({
      traits: traitsOf(parameters, donor, undefined, variant),
      isAfterPaid: isPaid(parameters, donor),
      weight: weight * variantShare(parameters, variant),
    })),
  );
}

function laterSessions(parameters: ShopParameters, donors: DonorPool): Cell[] {
  const { afterPaid, afterUnpaid } = parameters.referralChain;
  const groups = grouped(donors, parameters, ({ device, country, browser }) =>
    [device, country, browser].join("\n"),
  );
  return groups.flatMap(({ donor, weight, paidWeight }) =>
    VARIANTS.flatMap((variant) =>
      ORIGINS.flatMap((origin) => {
        const traits = traitsOf(parameters, donor, origin, variant);
        const share = variantShare(parameters, variant);
        const paid = share * paidWeight * afterPaid[origin];
        const unpaid = share * (weight - paidWeight) * afterUnpaid[origin];
        return [
          { traits, isAfterPaid: true, weight: paid },
          { traits, isAfterPaid: false, weight: unpaid },
        ];
      }),
    ),
  );
}

const ORIGINS = Object.keys(returnSources) as ReturnSource[];

function grouped(
  donors: DonorPool,
  parameters: ShopParameters,
  keyOf: (traits: SessionTraits) => string,
): Group[] {
  const groups = new Map<string, Group>();
  const paidShareOf = paidByPlace(parameters);
  for (const donor of donors.all) {
    const key = keyOf(traitsOf(parameters, donor, undefined, "a"));
    const group = groups.get(key) ?? { donor, weight: 0, paidWeight: 0 };
    groups.set(key, group);
    const isOwn = USES_HOME_DEVICE * Number(isPaid(parameters, donor));
    const isNeighbours = (1 - USES_HOME_DEVICE) * paidShareOf(donor);
    group.weight += 1 / donors.size;
    group.paidWeight += (isOwn + isNeighbours) / donors.size;
  }
  return [...groups.values()];
}

const variantShare = ({ experiment }: ShopParameters, variant: string): number =>
  variant === "b" ? experiment.share : 1 - experiment.share;

function paidByPlace(parameters: ShopParameters): (donor: PreparedDonor) => number {
  const shares = new Map<readonly PreparedDonor[], number>();
  return ({ neighbours }) => {
    const paid = () => neighbours.filter((donor) => isPaid(parameters, donor)).length;
    const share = shares.get(neighbours) ?? paid() / neighbours.length;
    shares.set(neighbours, share);
    return share;
  };
}
