import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { bundleFiles, CREATED_BY_BI_INIT } from "../../superset/bundle.ts";
import * as charts from "../../superset/charts/overview.ts";
import { allCharts, dashboards } from "../../superset/dashboards/dashboards.ts";
import { overview } from "../../superset/dashboards/overview.ts";
import { datasets, sessions } from "../../superset/datasets.ts";
import { assetId } from "../../superset/identity.ts";
import { SupersetClient, waitForSuperset } from "../../superset/import/client.ts";
import { importFiles } from "../../superset/import/import-files.ts";
import { applyDdl } from "../../warehouse/schema/ddl.ts";
import { idOf } from "./ask.ts";
import { type Marts, startMarts } from "./marts.ts";
import { runInit } from "./run-init.ts";
import { type Superset, startSuperset } from "./superset.ts";
import { at, makeChart, rearrange, seen, stored } from "./users.ts";

const PASSWORD = "kept";
const named = z.object({ id: z.int(), uuid: z.string() });

let superset: Superset;
let marts: Marts;
let client: SupersetClient;

const run = () => runInit(marts, { login: superset.login, password: PASSWORD });

beforeAll(async () => {
  marts = await startMarts(PASSWORD);
  await applyDdl(marts.db, "all");
  superset = await startSuperset();
  await waitForSuperset(superset.login.url, 1_200);
  await run();
  client = await SupersetClient.login(superset.login);
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await superset?.stop();
  await marts?.stop();
});

/** Fails every request after the import, as if the machine stopped or somebody pressed Ctrl+C. */
function cutOffAfterImport(): void {
  const real = globalThis.fetch;
  let isCut = false;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (isCut) throw new Error("interrupted");
    const response = await real(input, init);
    isCut = String(input).includes("/assets/import/");
    return response;
  });
}

const OURS_SEEN = seen(overview.asset.position);
const USERS = [
  ...["HEADER-extras", "TABS-u", "TAB-u1", "HEADER-uuuu", "TAB-u2", "ROW-u", "CHART-u"],
  ...["COLUMN-u", "MARKDOWN-u2", "ROW-extras-MARKDOWN-u1", "MARKDOWN-u1"],
];

describe("users' changes to the dashboard", () => {
  let chart = 0;

  it("survive an import that is interrupted at once", async () => {
    ({ chart } = await rearrange(client));
    cutOffAfterImport();
    await expect(run()).rejects.toThrow(/interrupted/);
    vi.restoreAllMocks();
    const { position, filters } = await stored(client);
    expect(seen(position)).toEqual([...OURS_SEEN, ...USERS]);
    expect(at(position, "CHART-u").meta).toMatchObject({ chartId: chart });
    expect(filters.map(({ id }) => id)).toContain("NATIVE_FILTER-Hx3JkQ0a_vY81bTzW-e5s");
  });

  it("survive later runs, including charts that a filter excludes", async () => {
    const { position, filters } = await stored(client);
    const { kept } = await run();
    expect(kept).toBe(7);
    const again = await stored(client);
    expect(again.position).toEqual(position);
    expect(again.filters).toEqual(filters);
    const wave = await idOf(client, "chart", charts.wave.key);
    expect(again.filters.at(-1)).toMatchObject({ scope: { excluded: [wave, chart] } });
    const shown = await client.get(
      `/api/v1/dashboard/${again.id}/charts`,
      z.object({ result: z.array(z.object({ slice_name: z.string() })) }),
    );
    expect(shown.result).toHaveLength(overview.charts.length + 1);
  });

  it("lose only the place of a chart that its user has deleted", async () => {
    await client.ask("DELETE", `/api/v1/chart/${chart}`);
    await run();
    const { position } = await stored(client);
    expect(seen(position)).toEqual([...OURS_SEEN, ...USERS.filter((id) => id !== "CHART-u")]);
  });
});

/** Superset's response to an import that it refuses. */
function refuseImport(): void {
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) =>
    String(input).includes("/assets/import/")
      ? new Response('{"errors":[{"message":"not today"}]}', { status: 422 })
      : real(input, init),
  );
}

/** A previous version of the dashboard with one more chart, dataset, metric and filter. */
async function importPreviousVersion(): Promise<void> {
  const old = assetId("dataset", "v_old");
  const additions = {
    columns: [],
    metrics: [{ metric_name: "old", expression: "1", extra: CREATED_BY_BI_INIT }],
  };
  const row = { id: "ROW-9-0", type: "ROW", children: ["CHART-old"], parents: [], meta: {} };
  const cell = { id: "CHART-old", type: "CHART", children: [], parents: [] };
  const meta = { uuid: assetId("chart", "old"), chartId: -99, width: 4, height: 30 };
  const grid = at(overview.asset.position, "GRID_ID");
  const { native_filter_configuration: filters } = overview.asset.metadata;
  const page = {
    ...overview.asset,
    position: {
      ...overview.asset.position,
      GRID_ID: { ...grid, children: [...grid.children, row.id] },
      [row.id]: row,
      [cell.id]: { ...cell, meta },
    },
    metadata: {
      ...overview.asset.metadata,
      native_filter_configuration: [
        ...filters,
        { ...filters[1], id: "NATIVE_FILTER-bi-init-old", name: "Old" },
        { ...filters[0], id: "NATIVE_FILTER-date" },
      ],
    },
  };
  const others = dashboards.filter((one) => one !== overview).map(({ asset }) => asset);
  const files = bundleFiles(marts.address, new Map([[sessions.table, additions]]), [
    page,
    ...others,
  ]);
  const common = { version: "1.0.0", columns: [], metrics: [] };
  const database_uuid = assetId("database", "marts");
  files.set(
    "datasets/marts/v_old.yaml",
    stringify({ ...common, table_name: "v_old", schema: "dm", uuid: old, database_uuid }),
  );
  const chart = { slice_name: "Old", viz_type: "table", params: {}, version: "1.0.0" };
  files.set("charts/old.yaml", stringify({ ...chart, uuid: meta.uuid, dataset_uuid: old }));
  await importFiles(client, files, PASSWORD);
}

const uuids = async (kind: "chart" | "dataset"): Promise<string[]> =>
  (await client.list(kind, named)).map(({ uuid }) => uuid);

describe("objects of a previous version", () => {
  it("are kept if the import is refused", async () => {
    await importPreviousVersion();
    refuseImport();
    await expect(run()).rejects.toThrow("Superset refused the assets: not today");
    vi.restoreAllMocks();
    expect(await uuids("chart")).toContain(assetId("chart", "old"));
    expect(seen((await stored(client)).position)).toContain("CHART-old");
  });

  it("are removed, each by name", async () => {
    await importPreviousVersion();
    expect(seen((await stored(client)).position)).toContain("CHART-old");
    const { retired } = await run();
    const page = ['metric "old" of dm.session', 'filter "Old"'];
    expect(retired).toEqual({ removed: ['chart "Old"', "dataset dm.v_old", ...page], used: [] });
    expect(await uuids("chart")).not.toContain(assetId("chart", "old"));
    expect(await uuids("dataset")).toHaveLength(datasets.length);
    const { position, filters } = await stored(client);
    expect(seen(position)).toEqual(OURS_SEEN);
    expect(filters).toHaveLength(overview.asset.metadata.native_filter_configuration.length);
    const metrics = z.object({
      result: z.object({ metrics: z.array(z.object({ metric_name: z.string() })) }),
    });
    const path = `/api/v1/dataset/${assetId("dataset", sessions.table)}`;
    const { result } = await client.get(path, metrics);
    expect(result.metrics).toHaveLength(sessions.metrics.length);
  });

  it("are kept and named if a user's chart reads them", async () => {
    await importPreviousVersion();
    const mine = await makeChart(client, "On the old", await idOf(client, "dataset", "v_old"));
    const { retired } = await run();
    expect(retired.removed).toContain('chart "Old"');
    expect(retired.used).toEqual(["dataset dm.v_old"]);
    await client.ask("DELETE", `/api/v1/chart/${mine}`);
    expect((await run()).retired.removed).toEqual(["dataset dm.v_old"]);
  });
});

it("block a removal also beyond the first hundred datasets", {
  // Superset queries the database for each of them.
  timeout: 600_000,
}, async () => {
  const [database] = await client.list("database", named);
  await client.ask("DELETE", `/api/v1/dataset/${await idOf(client, "dataset", sessions.table)}`);
  const body = { database: database?.id, schema: "dm", table_name: sessions.table };
  const made = await client.ask("POST", "/api/v1/dataset/", body);
  expect(made.status).toBe(201);
  const files = bundleFiles(marts.address);
  for (const path of [...files.keys()])
    if (/^(charts|dashboards|datasets)/.test(path)) files.delete(path);
  for (let n = 0; n < 101; n += 1) {
    const other = { table_name: `other_${n}`, schema: "dm", sql: "SELECT 1", version: "1.0.0" };
    const uuid = assetId("dataset", `somebody's ${n}`);
    const database_uuid = assetId("database", "marts");
    files.set(`datasets/marts/${n}.yaml`, stringify({ ...other, uuid, database_uuid }));
  }
  await importFiles(client, files, PASSWORD);
  await expect(run()).rejects.toThrow(`the dataset dm.${sessions.table}`);
  const { id } = z.object({ id: z.int() }).parse(made.body);
  await client.ask("DELETE", `/api/v1/dataset/${id}`);
  expect((await run()).charts).toHaveLength(allCharts.length);
});
