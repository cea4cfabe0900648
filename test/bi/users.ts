import { z } from "zod";
import * as charts from "../../superset/charts/overview.ts";
import { overview } from "../../superset/dashboards/overview.ts";
import { sessions } from "../../superset/datasets.ts";
import { assetId } from "../../superset/identity.ts";
import type { SupersetClient } from "../../superset/import/client.ts";
import { idOf } from "./ask.ts";

const place = z.looseObject({
  id: z.string(),
  type: z.string(),
  children: z.array(z.string()).default([]),
});
type Place = z.infer<typeof place>;
type Position = Record<string, unknown>;

const document = z.object({
  result: z.object({ id: z.int(), position_json: z.string(), json_metadata: z.string() }),
});
const filters = z.object({
  native_filter_configuration: z.array(z.looseObject({ id: z.string() })),
});

/** The dashboard as Superset stores it. */
export async function stored(client: SupersetClient) {
  const path = `/api/v1/dashboard/${assetId("dashboard", overview.slug)}`;
  const { result } = await client.get(path, document);
  const position = z.record(z.string(), z.unknown()).parse(JSON.parse(result.position_json));
  const metadata = z.looseObject({}).parse(JSON.parse(result.json_metadata));
  const { native_filter_configuration } = filters.parse(metadata);
  return { id: result.id, position, metadata, filters: native_filter_configuration };
}

export const at = (position: Position, id: string): Place => place.parse(position[id]);

/** Ids of the visible components, from the top. */
export const seen = (position: Position, id = "ROOT_ID"): string[] => [
  id,
  ...at(position, id).children.flatMap((child) => seen(position, child)),
];

/** Creates a chart of a user. Returns its number. */
export async function makeChart(
  client: SupersetClient,
  name: string,
  dataset: number,
): Promise<number> {
  const made = await client.ask("POST", "/api/v1/chart/", {
    slice_name: name,
    viz_type: "big_number_total",
    datasource_id: dataset,
    datasource_type: "table",
    params: JSON.stringify({ metric: "sessions" }),
  });
  return z.object({ id: z.int() }).parse(made.body).id;
}

/**
 * Changes that a user may make to the dashboard: top-level tabs with the declared content in the
 * first, a header, and a filter. Also a text in a declared row, and charts in the second tab.
 */
export async function rearrange(client: SupersetClient): Promise<{ readonly chart: number }> {
  const { id, position, metadata, filters: present } = await stored(client);
  const chart = await makeChart(client, "Mine", await idOf(client, "dataset", sessions.table));
  const wave = await idOf(client, "chart", charts.wave.key);
  const nodes: Place[] = [
    { id: "TABS-u", type: "TABS", children: ["TAB-u1", "TAB-u2"] },
    {
      id: "TAB-u1",
      type: "TAB",
      children: [...at(position, "GRID_ID").children, "HEADER-uuuu"],
      meta: { text: "Overview" },
    },
    { id: "TAB-u2", type: "TAB", children: ["ROW-u"], meta: { text: "Mine" } },
    { id: "HEADER-uuuu", type: "HEADER", children: [], meta: { text: "My header" } },
    { id: "ROW-u", type: "ROW", children: ["CHART-u", "CHART-wave", "COLUMN-u"], meta: {} },
    { id: "CHART-u", type: "CHART", children: [], meta: { chartId: chart, width: 4, height: 30 } },
    { id: "COLUMN-u", type: "COLUMN", children: ["MARKDOWN-u2"], meta: { width: 4 } },
    { id: "MARKDOWN-u2", type: "MARKDOWN", children: [], meta: { code: "two", width: 4 } },
    { id: "MARKDOWN-u1", type: "MARKDOWN", children: [], meta: { code: "one", width: 2 } },
  ];
  const root = at(position, "ROOT_ID");
  const grid = at(position, "GRID_ID");
  const row = at(position, "ROW-0-2");
  const changed: Place[] = [
    { ...root, children: ["TABS-u"] },
    { ...grid, children: [] },
    { ...row, children: [...row.children.filter((c) => c !== "CHART-wave"), "MARKDOWN-u1"] },
  ];
  const filter = {
    ...present[1],
    id: "NATIVE_FILTER-Hx3JkQ0a_vY81bTzW-e5s",
    scope: { rootPath: ["ROOT_ID"], excluded: [wave, chart] },
  };
  const positions = {
    ...position,
    ...Object.fromEntries([...nodes, ...changed].map((node) => [node.id, node])),
  };
  const answer = await client.ask("PUT", `/api/v1/dashboard/${id}`, {
    json_metadata: JSON.stringify({
      ...metadata,
      native_filter_configuration: [...present, filter],
      positions,
    }),
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return { chart };
}
