import { catalogueDonors } from "../catalogue/donors.ts";
import type { ModelConfig } from "../config.ts";
import { type Donor, DonorPool } from "../model/donors.ts";
import { BOTS } from "./bots.ts";
import type { Scenario } from "./schema.ts";

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
