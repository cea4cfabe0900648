import { describe, expect, it } from "vitest";
import { drawDevice } from "../../../generator/behaviour/plain.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { type Donor, DonorPool } from "../../../generator/model/donors.ts";
import { shares } from "./scripted.ts";

const donor = (id: string, country: string, region: string): Donor => {
  const [base] = catalogueDonors("pool", 1);
  if (!base) throw new Error("unreachable");
  const geo = { ...base.geo, geo_country: country, geo_region_name: region };
  return { ...base, base_click_id: id, geo };
};

const given = [
  donor("a", "DE", "Berlin"),
  donor("b", "DE", "Bremen"),
  donor("c", "DE", "Berlin"),
  donor("d", "US", "Berlin"),
];

describe("the donors of a dataset", () => {
  it("have the donors of their place as neighbours", () => {
    const pool = new DonorPool(given);
    const neighbours = (id: string) => pool.find(id)?.neighbours.map((each) => each.id);
    expect(["a", "b", "c", "d"].map(neighbours)).toEqual([["a", "c"], ["b"], ["a", "c"], ["d"]]);
  });
});

describe("the device of a session", () => {
  it("is the user's usual one in 85 of 100 sessions, otherwise another of the same place", () => {
    const home = new DonorPool(given).find("a");
    if (!home) throw new Error("unreachable");
    const user = { customId: "u-1", domainId: null, home, loyalty: "casual" } as const;
    const donorAt = (...draws: number[]) => drawDevice(shares(...draws), user).id;
    expect(donorAt(0)).toBe("a");
    expect(donorAt(0.849)).toBe("a");
    expect([donorAt(0.851, 0.4), donorAt(0.851, 0.6)]).toEqual(["a", "c"]);
  });
});
