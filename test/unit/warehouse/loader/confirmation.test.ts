import { expect, test, vi } from "vitest";
import { askForLarge } from "../../../../warehouse/loader/confirmation.ts";

test("a load of more than a million messages needs a confirmation, which YES=1 gives", async () => {
  vi.stubEnv("YES", undefined);
  await expect(askForLarge("large", 1_000_001, true)).rejects.toMatchObject({
    message: "large has more than 1,000,000 rows: a full load needs confirmation",
    hint: expect.stringContaining("YES=1"),
  });
  await askForLarge("large", 1_000_000, true);
  vi.stubEnv("YES", "1");
  await askForLarge("large", 1_000_001, true);
  vi.unstubAllEnvs();
});
