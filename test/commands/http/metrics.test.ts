import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestServer, type TestServer, waitFor } from "./support.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ metricsPort: 0, password: "secret" });
  // A busy machine needs more than the first request.
  await waitFor(async () => (await fetch(`${server.http.url}/metrics`)).ok);
});
afterAll(() => server.stop());

const scrape = async (url = server.http.url): Promise<Map<string, number>> => {
  // Decompression would need a worker thread, and a test may have taken them all.
  const answer = await fetch(`${url}/metrics`, { headers: { "Accept-Encoding": "identity" } });
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=UTF-8");
  const lines = (await answer.text()).split("\n").filter((line) => line && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
};

/** Metrics that dashboards and alert rules of the stack use. */
const NEEDED = [
  "ClickHouseProfileEvents_Query",
  "ClickHouseProfileEvents_FailedQuery",
  "ClickHouseProfileEvents_SelectQuery",
  "ClickHouseProfileEvents_InsertQuery",
  "ClickHouseProfileEvents_InsertedRows",
  "ClickHouseProfileEvents_RejectedInserts",
  "ClickHouseProfileEvents_KafkaMessagesRead",
  "ClickHouseMetrics_Query",
  "ClickHouseMetrics_Merge",
  "ClickHouseMetrics_PartsActive",
  "ClickHouseMetrics_MemoryTracking",
  "ClickHouseMetrics_HTTPConnection",
  "ClickHouseMetrics_KafkaConsumers",
  "ClickHouseAsyncMetrics_Uptime",
  "ClickHouseAsyncMetrics_NumberOfDatabases",
  "ClickHouseAsyncMetrics_NumberOfTables",
  "ClickHouseAsyncMetrics_TotalPartsOfMergeTreeTables",
  "ClickHouseAsyncMetrics_TotalRowsOfMergeTreeTables",
  "ClickHouseAsyncMetrics_TotalBytesOfMergeTreeTables",
  "ClickHouseAsyncMetrics_MaxPartCountForPartition",
  "ClickHouseAsyncMetrics_MemoryResident",
  "ClickHouseAsyncMetrics_OSMemoryTotal",
  "ClickHouseAsyncMetrics_OSUserTimeNormalized",
  "ClickHouseErrorMetric_UNKNOWN_TABLE",
  "ClickHouseErrorMetric_MEMORY_LIMIT_EXCEEDED",
];

it("has every metric from the start, so that no rate is missing", async () => {
  const values = await scrape();
  expect(NEEDED.filter((name) => !Number.isFinite(values.get(name)))).toEqual([]);
  expect(values.size).toBeGreaterThan(2_000);
});

/** Growth by one table, three rows and one unknown table. */
const GROWTH = {
  ClickHouseProfileEvents_InsertedRows: 3,
  ClickHouseProfileEvents_FailedQuery: 1,
  ClickHouseErrorMetric_UNKNOWN_TABLE: 1,
  ClickHouseAsyncMetrics_TotalRowsOfMergeTreeTables: 3,
  ClickHouseAsyncMetrics_NumberOfTables: 1,
};

it("counts events", async () => {
  const before = await scrape();
  const url = { password: "secret" };
  await server.ask("CREATE TABLE m (a Int8) ENGINE = MergeTree ORDER BY a", { url });
  await server.ask("INSERT INTO m VALUES (1), (2), (3)", { url });
  await server.ask("SELECT * FROM nope", { url });
  let after = before;
  const growth = async () => {
    after = await scrape();
    const names = Object.keys(GROWTH);
    return Object.fromEntries(
      names.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]),
    );
  };
  // A busy server first answers with earlier values.
  await expect.poll(growth, { timeout: 180_000 }).toEqual(GROWTH);
  expect(after.get("ClickHouseMetrics_HTTPConnection")).toBeGreaterThan(0);
  expect(after.get("embedded_metrics_age_seconds")).toBeLessThan(5);
});

it("answers on its own port without a password, and serves nothing else there", async () => {
  const url = `http://127.0.0.1:${server.http.metricsPort}`;
  expect((await scrape(url)).size).toBeGreaterThan(2_000);
  expect((await fetch(`${url}/?query=SELECT+1`)).status).toBe(404);
});
