import { expect, it } from "vitest";
import { soak } from "./soak.ts";

/** scripts/soak-http.ts runs the long form. */
it("no request ends the server or leaves anything behind", async () => {
  const { requests, ended, leftBehind } = await soak({ seed: "short", seconds: 6 });
  expect(ended).toBeUndefined();
  expect(leftBehind).toEqual([]);
  for (const count of Object.values(requests)) expect(count).toBeGreaterThan(0);
});
