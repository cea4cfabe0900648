import { describe, expect, it } from "vitest";
import { MINUTE } from "../../../contract/time.ts";
import type { ModelConfig } from "../../../generator/behaviour/config.ts";
import {
  type Loyalty,
  loyalties,
  PlainPopulation,
  type User,
} from "../../../generator/model/population.ts";
import { seededRng } from "../../../generator/model/random.ts";
import { shares, unused } from "./scripted.ts";
import { configWith, donors } from "./support.ts";

const AT = 1_767_225_600_000_000;
const OTHER = 0.99;
const NEW = 0;
const nobody = { created: 0, visiting: 0, eligible: [], resting: [] };

const config = (parts: Partial<ModelConfig>): ModelConfig => ({
  ...configWith(),
  populationMax: 10,
  newUserShare: 0.5,
  minReturnMinutes: 30,
  ...parts,
});
const population = (parts: Partial<ModelConfig> = {}, state = {}) =>
  new PlainPopulation(config(parts), donors, { ...nobody, ...state });

const rng = seededRng("population", "");
const home = donors.draw(rng);
const user = (name: string, loyalty: Loyalty = "regular"): User => ({
  customId: name,
  domainId: null,
  home,
  loyalty,
});
const names = (users: readonly User[]) => users.map(({ customId }) => customId);

describe("the next visitor", () => {
  it("is new at first, with any share of new visitors", () => {
    const people = population({ newUserShare: 0 });
    expect(people.admit(rng, AT)).not.toBeNull();
    expect([people.created, people.size]).toEqual([1, 1]);
  });

  it("is new by the share of new visitors, otherwise one who may return", () => {
    const state = { eligible: [user("a"), user("b"), user("c")] };
    const people = population({}, state);
    const draws = shares(0.5, 0.4);
    expect(people.admit(draws, AT)?.customId).toBe("b");
    expect(unused(draws)).toBe(0);
    // The last visitor fills the gap of the admitted one.
    expect(names(people.snapshot().eligible)).toEqual(["a", "c"]);
    expect([people.created, people.size, people.snapshot().visiting]).toEqual([0, 3, 1]);
    expect(people.admit(shares(OTHER, OTHER), AT)?.customId).toBe("c");
    expect(names(people.snapshot().eligible)).toEqual(["a"]);
    expect(people.admit(shares(0.499, 0, OTHER, 0, 0, 0, 0), AT)?.customId).toMatch(
      /-000000000000$/,
    );
    expect([people.created, people.size]).toEqual([1, 4]);
    // The given state must stay unchanged.
    expect(names(state.eligible)).toEqual(["a", "b", "c"]);
  });

  it("is missing at the cap if nobody may return", () => {
    const full = population({ populationMax: 1 }, { visiting: 1, created: 7 });
    expect(full.admit(shares(NEW, 0), AT)).toBeNull();
    expect([full.created, full.size]).toEqual([7, 1]);
    const resting = [{ user: user("a"), eligibleAt: AT + 1 }];
    expect(population({ populationMax: 1 }, { resting }).admit(shares(NEW, 0), AT)).toBeNull();
  });

  it("is a returning visitor at the cap", () => {
    const full = population({ populationMax: 2 }, { visiting: 1, eligible: [user("a")] });
    expect(full.admit(shares(NEW, 0), AT)?.customId).toBe("a");
    expect(full.size).toBe(2);
  });
});

describe("after a session", () => {
  it("a visitor may return only after the pause", () => {
    const people = population({ minReturnMinutes: 0.5 }, { visiting: 1 });
    people.release(shares(OTHER), user("a", "loyal"), AT);
    expect(people.snapshot()).toMatchObject({
      visiting: 0,
      resting: [{ user: { customId: "a" }, eligibleAt: AT + MINUTE / 2 }],
    });
    const wouldTake = (at: number) =>
      people.admit(shares(OTHER, 0, OTHER, 0, 0, 0, 0), at)?.customId;
    expect(wouldTake(AT + MINUTE / 2 - 1)).not.toBe("a");
    expect(wouldTake(AT + MINUTE / 2)).toBe("a");
    expect(people.snapshot().resting).toEqual([]);
    expect(people.size).toBe(2);
  });

  it.each(Object.keys(loyalties) as Loyalty[])(
    "a %s visitor leaves for good more often near the cap",
    (loyalty) => {
      const leaves = (visiting: number, share: number) => {
        const people = population({ populationMax: 100, newUserShare: 0.1 }, { visiting });
        people.release(shares(share), user("a", loyalty), AT);
        expect(people.snapshot().visiting).toBe(visiting - 1);
        return people.snapshot().resting.length === 0;
      };
      // At nine tenths of the cap: the share of new visitors times the kind's factor.
      const chance = 0.1 * loyalties[loyalty].leaving;
      expect([leaves(90, chance - 0.001), leaves(90, chance + 0.001)]).toEqual([true, false]);
      const half = chance / 16;
      expect([leaves(45, half - 0.0001), leaves(45, half + 0.0001)]).toEqual([true, false]);
    },
  );

  it("visitors return in the order of their pauses, in any number", () => {
    const resting = Array.from({ length: 200 }, (_, n) => ({
      user: user(`${n}`),
      eligibleAt: AT + n,
    }));
    const people = population({ populationMax: 200 }, { resting });
    for (const at of [0, 70, 71, 150, 199]) {
      const before = people.snapshot();
      const woken = Math.max(0, at + 1 - (200 - before.resting.length));
      // At the cap no new visitor comes, so the next one is the first who may return.
      expect(people.admit(shares(NEW, 0), AT + at)).not.toBeNull();
      const { eligible, resting: left, visiting } = people.snapshot();
      expect(left.map((each) => each.eligibleAt)).toEqual(
        resting.slice(at + 1).map((each) => each.eligibleAt),
      );
      expect(eligible.length).toBe(before.eligible.length + woken - 1);
      expect(visiting + eligible.length + left.length).toBe(200);
      expect(people.size).toBe(200);
    }
  });
});
