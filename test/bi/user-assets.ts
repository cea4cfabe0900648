import { expect } from "vitest";
import { z } from "zod";
import { overview } from "../../superset/dashboards/overview.ts";
import { sessions } from "../../superset/datasets.ts";
import { assetId } from "../../superset/identity.ts";
import type { SupersetClient } from "../../superset/import/client.ts";
import { idOf } from "./ask.ts";

const dashboardDocument = z.object({
  result: z.object({
    id: z.int(),
    charts: z.array(z.string()),
    position_json: z.string(),
    json_metadata: z.string(),
  }),
});
type Position = Record<string, unknown>;

/** Content and layout of the dashboard. */
export async function readDashboard(client: SupersetClient) {
  const path = `/api/v1/dashboard/${assetId("dashboard", overview.slug)}`;
  const { result } = await client.get(path, dashboardDocument);
  const metadata = JSON.parse(result.json_metadata) as {
    native_filter_configuration: { id: string }[];
  };
  return {
    id: result.id,
    charts: result.charts,
    position: JSON.parse(result.position_json) as Position,
    metadata,
    filters: metadata.native_filter_configuration.map(({ id }) => id),
  };
}

/** Adds a metric, a chart on the dashboard and a filter, as a user would. Returns the chart. */
export async function addUserAssets(client: SupersetClient): Promise<number> {
  const dataset = await idOf(client, "dataset", sessions.table);
  const stored = await client.get(
    `/api/v1/dataset/${dataset}`,
    z.object({
      result: z.object({
        metrics: z.array(
          z.object({ id: z.int(), metric_name: z.string(), expression: z.string() }),
        ),
      }),
    }),
  );
  const metrics = [
    ...stored.result.metrics,
    { metric_name: "longest", expression: "max(duration_seconds)" },
  ];
  const changed = await client.ask("PUT", `/api/v1/dataset/${dataset}`, { metrics });
  expect(changed.status).toBe(200);
  const { id, position, metadata } = await readDashboard(client);
  const made = await client.ask("POST", "/api/v1/chart/", {
    slice_name: "A chart of mine",
    viz_type: "big_number_total",
    datasource_id: dataset,
    datasource_type: "table",
    params: JSON.stringify({ metric: "longest" }),
    dashboards: [id],
  });
  const chart = z.object({ id: z.int() }).parse(made.body).id;
  const grid = position.GRID_ID as { children: string[] };
  const positions = {
    ...position,
    GRID_ID: { ...grid, children: [...grid.children, "ROW-mine"] },
    "ROW-mine": {
      id: "ROW-mine",
      type: "ROW",
      children: ["CHART-mine"],
      parents: ["ROOT_ID", "GRID_ID"],
      meta: {},
    },
    "CHART-mine": {
      id: "CHART-mine",
      type: "CHART",
      children: [],
      parents: ["ROOT_ID", "GRID_ID", "ROW-mine"],
      meta: { chartId: chart, width: 4, height: 30 },
    },
  };
  const filter = { ...metadata.native_filter_configuration[1], id: "NATIVE_FILTER-mine" };
  const native_filter_configuration = [...metadata.native_filter_configuration, filter];
  const placed = await client.ask("PUT", `/api/v1/dashboard/${id}`, {
    json_metadata: JSON.stringify({ ...metadata, native_filter_configuration, positions }),
  });
  expect(placed.status).toBe(200);
  return chart;
}
