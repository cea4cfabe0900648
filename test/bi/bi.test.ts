import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { HTTP_200_PATTERN, httpHealthCheck } from "../../components/shared/health.ts";
import { connectionUri, DATABASE_NAME } from "../../superset/bundle.ts";
import * as charts from "../../superset/charts/overview.ts";
import { allCharts, dashboards } from "../../superset/dashboards/dashboards.ts";
import { overview } from "../../superset/dashboards/overview.ts";
import { datasets, quality, sessions } from "../../superset/datasets.ts";
import { assetId } from "../../superset/identity.ts";
import { waitForSuperset } from "../../superset/import/client.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { idOf, inventory, rowsOf } from "./ask.ts";
import { rejection, useSystem } from "./environment.ts";
import { filterCases } from "./filter-cases.ts";
import { numberCases } from "./number-cases.ts";
import { refusalCases } from "./refusal-cases.ts";
import { addUserAssets, readDashboard } from "./user-assets.ts";

const FIRST = "first-password";
const SECOND = "second: p@ss/w%rd?";

const system = useSystem(FIRST);

describe("with empty marts", () => {
  it("refuses missing views, naming them and the commands to run in order", async () => {
    const error = await rejection(system.run());
    expect(error.message).toContain("dm.v_events_enriched");
    expect(error).toMatchObject({
      hint: expect.stringMatching(
        /^run in this order: make ddl, make generator-down .*, make data, make transform, make bi-init$/,
      ),
    });
    const { result } = await (await system.login()).get(
      "/api/v1/dashboard/",
      z.object({ result: z.array(z.unknown()) }),
    );
    expect(result).toEqual([]);
  });

  it("imports on empty views, and no chart fails", async () => {
    await applyDdl(system.marts.db, "all");
    const outcome = await system.run();
    expect(outcome.rows).toBe(0);
    expect(outcome.charts.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});

numberCases(system);

filterCases(system);

describe("a repeated run", () => {
  it("changes nothing", async () => {
    await system.run();
    const client = await system.login();
    const before = await inventory(client);
    expect(Object.keys(before)).toHaveLength(
      1 + datasets.length + allCharts.length + dashboards.length,
    );
    await system.run();
    expect(await inventory(client)).toEqual(before);
  });

  it("re-creates deleted objects", async () => {
    const client = await system.login();
    const before = Object.keys(await inventory(client)).length;
    const chart = await idOf(client, "chart", charts.wave.key);
    const dataset = await idOf(client, "dataset", quality.table);
    expect((await client.ask("DELETE", `/api/v1/chart/${chart}`)).status).toBe(200);
    expect((await client.ask("DELETE", `/api/v1/dataset/${dataset}`)).status).toBe(200);
    const { charts: results } = await system.run();
    expect(results.filter(({ rows, error }) => rows === 0 || error !== undefined)).toEqual([]);
    expect(Object.keys(await inventory(client))).toHaveLength(before);
  });

  it("keeps what users added: metrics, charts, their place on the dashboard, filters", async () => {
    const client = await system.login();
    const own = await addUserAssets(client);
    const { kept } = await system.run();
    expect(kept).toBe(3);
    const dataset = await client.get(
      `/api/v1/dataset/${assetId("dataset", sessions.table)}`,
      z.object({ result: z.object({ metrics: z.array(z.object({ metric_name: z.string() })) }) }),
    );
    expect(dataset.result.metrics).toContainEqual({ metric_name: "longest" });
    const dashboard = await readDashboard(client);
    expect(dashboard.charts).toContain("A chart of mine");
    expect(Object.values(dashboard.position)).toContainEqual(
      expect.objectContaining({ meta: expect.objectContaining({ chartId: own }) }),
    );
    expect(dashboard.filters).toContain("NATIVE_FILTER-mine");
    expect(dashboard.charts).toHaveLength(overview.charts.length + 1);
    await system.run();
    expect((await readDashboard(client)).position).toEqual(dashboard.position);
  });

  it("repairs the connection after a change of the password", async () => {
    await system.marts.connect(SECOND);
    const client = await system.login();
    const refused = await system.run({ password: FIRST }).then(String, String);
    expect(refused).toMatch(/cannot log in to ClickHouse at 127\.0\.0\.1:\d+ as default/);
    system.password = SECOND;
    const { charts: results } = await system.run();
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(await rowsOf(client, charts.sessionCount)).toHaveLength(1);
  });
});

refusalCases(system);

it("passes the container's health check, which uses only the shell", () => {
  const port = Number(new URL(system.superset.login.url).port);
  const isHealthy = (path: string): boolean => {
    const [, shell = "", ...given] = httpHealthCheck(port, path, HTTP_200_PATTERN);
    return spawnSync(shell, given, { timeout: 60_000 }).status === 0;
  };
  expect(isHealthy("/health")).toBe(true);
  expect(isHealthy("/no-such-page")).toBe(false);
});

describe("the secret key", () => {
  it("can be rotated: connections made with the old key still work", async () => {
    await system.superset.restart({
      "secret-key": "second-key-of-the-test-installation",
      "previous-secret-key": "first-key-of-the-test-installation",
    });
    await waitForSuperset(system.superset.login.url, 1_200);
    expect(await rowsOf(await system.login(), charts.sessionCount)).toHaveLength(1);
  });
});

it("never uses the form of the address that Superset cannot load", async () => {
  const client = await system.login();
  const wrong = connectionUri(system.marts.address, system.password).replace(
    "clickhousedb:",
    "clickhouse+connect:",
  );
  const tried = await client.ask("POST", "/api/v1/database/test_connection/", {
    database_name: DATABASE_NAME,
    sqlalchemy_uri: wrong,
    impersonate_user: false,
    extra: "{}",
  });
  expect(tried.status).toBe(422);
  const { result } = await client.get(
    "/api/v1/database/?q=(page_size:100)",
    z.object({ result: z.array(z.object({ id: z.int() })) }),
  );
  const stored = await client.get(
    `/api/v1/database/${result[0]?.id}/connection`,
    z.object({ result: z.object({ sqlalchemy_uri: z.string() }) }),
  );
  expect(stored.result.sqlalchemy_uri).toMatch(/^clickhousedb:\/\//);
});
