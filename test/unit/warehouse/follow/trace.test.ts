import { expect, test } from "vitest";
import { cellText, sinceBroker } from "../../../../warehouse/follow/render.ts";

test("counts from the time at which the broker received the message", () => {
  const hops = {
    emitted: null,
    broker: "2026-01-01 10:00:00.500",
    ingested: "2026-01-01 10:00:00.750000",
    loaded: "2026-01-01 10:05:00.500000",
    integrated: null,
    presented: null,
  };
  expect(sinceBroker(hops, "ingested")).toBe("+0.25 s");
  expect(sinceBroker(hops, "loaded")).toBe("+300 s");
  expect(sinceBroker(hops, "integrated")).toBe("not yet");
});

test("cells have one line each", () => {
  expect(cellText(null)).toBe("NULL");
  expect(cellText(["a", "b"])).toBe("a b");
  expect(cellText(false)).toBe("false");
});
