import { expect, test } from "vitest";
import { soakLease } from "../support/soak-lease/soak.ts";

/** The long form with stated numbers is scripts/soak-lease.ts. */
test("runs that are stopped and killed at random leave what an undisturbed run leaves", {
  timeout: 1_200_000,
}, async () => {
  const counts = await soakLease({ seed: "short", rounds: 6 });
  expect(counts.differences).toEqual([]);
  expect(counts.rounds).toBe(6);
  // The first round stops a holder until another run has taken over and ended.
  expect(counts.takeOvers).toBeGreaterThan(0);
});
