import { join } from "node:path";
import { expect, test } from "vitest";
import { Journal } from "../../../collector/journal.ts";
import { CollectorMetrics } from "../../../collector/metrics.ts";
import { createCollector } from "../../../collector/server.ts";
import { DailyVisitors } from "../../../collector/visitor.ts";
import { collectorMetrics as names } from "../../../contract/metrics.ts";
import { folderOfTest } from "../../support/use-folder.ts";

test("hits, refusals by reason and what waits are measured", async () => {
  const dir = folderOfTest("collector");
  const metrics = new CollectorMetrics();
  const journal = new Journal(join(dir, "journal"), {
    next: 0,
    maxBytes: 500,
    onStored: metrics.stored,
  });
  const app = await createCollector({
    journal,
    visitors: new DailyVisitors(dir),
    outcomes: {
      totals: async () => Promise.reject(),
      latest: async () => [],
      shown: async () => [],
      reset: async () => {},
    },
    origins: [],
    sites: [],
    address: "none",
    rate: 100,
  });
  metrics.watch(app, journal);
  const values = async () => {
    const text = await metrics.registry.metrics();
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return Object.fromEntries(lines.map((line) => line.split(/ (?=\S+$)/)));
  };
  expect(await values()).toMatchObject({
    [`${names.refused}{reason="full"}`]: "0",
    [names.oldestWaiting]: "0",
  });
  const post = (payload: string, headers = {}) =>
    app.inject({ method: "POST", url: "/hit", payload, headers });
  await post("{}");
  await post("{}", { origin: "https://other.example" });
  await post("x".repeat(2 ** 21));
  await post(JSON.stringify({ site: "shop", type: "pageview", padding: "x".repeat(500) }));
  await post("{}");
  await metrics.failed();
  const found = await values();
  expect(found).toMatchObject({
    [`${names.hits}{protocol="page",result="good"}`]: "1",
    [`${names.hits}{protocol="page",result="bad"}`]: "1",
    [`${names.refused}{reason="origin"}`]: "1",
    [`${names.refused}{reason="size"}`]: "1",
    [`${names.refused}{reason="full"}`]: "1",
    [names.waiting]: "2",
    [names.failures]: "1",
    [`${names.duration}_count`]: "5",
  });
  expect(Number(found[names.oldestWaiting])).toBeGreaterThan(0);
  expect(Number(found[names.waitingBytes])).toBeGreaterThan(500);
  await app.close();
  await journal.close();
});
