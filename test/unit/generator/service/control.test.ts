import { expect, test } from "vitest";
import { type ControlledService, control } from "../../../../generator/service/control.ts";

const chosen = { seed: "7", speed: 2.5 };
const asChosen = { GEN_SEED: "7", GEN_MODEL_TIME_SPEED: "2.5" };
const size = { t_end: "2026-01-08T00:00:00Z", max_events: 9 };
const asSize = { tEnd: "2026-01-08T00:00:00Z", maxEvents: 9 };

test.each([
  ["backfill", { ...size, ...chosen }, { ...asSize, chosen: asChosen }],
  ["import", { dataset: "a" }, { dataset: "a", chosen: {} }],
  [
    "clean_start",
    { ...size, ...chosen, confirm: "dev" },
    { ...asSize, confirm: "dev", chosen: asChosen },
  ],
])("%s has every field of the request, and so has its dry run", async (operation, given, all) => {
  const asked: object[] = [];
  const ask: ControlledService["start"] = async (request) => {
    asked.push(request);
    return { action: "done", reason: "" };
  };
  const service = { start: ask, consider: ask } as unknown as ControlledService;
  await control(service, JSON.stringify({ operation, ...given }));
  await control(service, JSON.stringify({ operation: "dry_run", of: operation, ...given }));
  expect(asked).toEqual([
    { operation, ...all },
    { operation, ...all },
  ]);
});
