import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { httpHealth } from "../../components/shared/health.ts";
import { connectionUri, DATABASE_NAME } from "../../superset/bundle.ts";
import * as charts from "../../superset/charts/overview.ts";
import { allCharts, dashboards } from "../../superset/dashboards/dashboards.ts";
import { overview } from "../../superset/dashboards/overview.ts";
import { datasets, quality, sessions } from "../../superset/datasets.ts";
import { type SupersetClient, waitForSuperset } from "../../superset/import/client.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { itLong } from "../support/long-cases.ts";
import { idOf, inventory, rowsOf } from "./ask.ts";
import { browserCases } from "./browser-cases.ts";
import { rejection, useSystem } from "./environment.ts";
import { filterCases } from "./filter-cases.ts";
import { numberCases } from "./number-cases.ts";
import { refusalCases } from "./refusal-cases.ts";

const FIRST = "first-password";
const SECOND = "second: p@ss/w%rd?";

const system = useSystem(FIRST);

/** Saves a copy of the overview, with a chart of the user's own on it, as a user would. */
async function addUserAssets(client: SupersetClient): Promise<void> {
  const stored = z.object({
    result: z.object({ position_json: z.string(), json_metadata: z.string() }),
  });
  const path = `/api/v1/dashboard/${await idOf(client, "dashboard", overview.slug)}`;
  const { result } = await client.get(path, stored);
  const positions: unknown = JSON.parse(result.position_json);
  const copied = await client.ask("POST", `${path}/copy/`, {
    dashboard_title: "My copy",
    duplicate_slices: true,
    json_metadata: JSON.stringify({ ...JSON.parse(result.json_metadata), positions }),
  });
  const copy = z.object({ result: z.object({ id: z.int() }) }).parse(copied.body).result.id;
  const made = await client.ask("POST", "/api/v1/chart/", {
    slice_name: "A chart of mine",
    viz_type: "big_number_total",
    datasource_id: await idOf(client, "dataset", sessions.table),
    datasource_type: "table",
    params: JSON.stringify({ metric: "sessions" }),
    dashboards: [copy],
  });
  expect(made.status).toBe(201);
}

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

browserCases(system);

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

  itLong("re-creates deleted objects", async () => {
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

  it("leaves a user's chart and copy of a dashboard alone, and restores ours", async () => {
    const client = await system.login();
    await addUserAssets(client);
    const before = await inventory(client);
    const wave = await idOf(client, "chart", charts.wave.key);
    const page = await idOf(client, "dashboard", overview.slug);
    for (const [path, change] of [
      [`chart/${wave}`, { slice_name: "Changed", params: "{}" }],
      [`dashboard/${page}`, { dashboard_title: "Changed", position_json: "{}" }],
    ] as const) {
      expect((await client.ask("PUT", `/api/v1/${path}`, change)).status).toBe(200);
    }
    expect(await inventory(client)).not.toEqual(before);
    await system.run();
    expect(await inventory(client)).toEqual(before);
  });

  itLong("repairs the connection after a change of the password", async () => {
    await system.marts.connect(SECOND);
    const client = await system.login();
    const refused = await system.run({ password: FIRST }).then(String, String);
    expect(refused).toMatch(/cannot log in to ClickHouse at 127\.0\.0\.1:\d+ as bi/);
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
    const [, shell = "", ...given] = httpHealth(port, path).test;
    return spawnSync(shell, given, { timeout: 60_000 }).status === 0;
  };
  expect(isHealthy("/health")).toBe(true);
  expect(isHealthy("/no-such-page")).toBe(false);
});

itLong("the secret key can be rotated: connections made with the old key still work", async () => {
  await system.superset.restart({
    "secret-key": "second-key-of-the-test-installation",
    "previous-secret-key": "first-key-of-the-test-installation",
  });
  await waitForSuperset(system.superset.login.url, 1_200);
  expect(await rowsOf(await system.login(), charts.sessionCount)).toHaveLength(1);
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
