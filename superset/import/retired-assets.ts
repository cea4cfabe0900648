import { z } from "zod";
import { dashboardCharts } from "../dashboard.ts";
import { datasets } from "../datasets.ts";
import { assetId } from "../identity.ts";
import { chartKeyOf } from "../layout.ts";
import type { SupersetClient } from "./client.ts";
import { nodesOf } from "./kept-layout.ts";

export interface Retired {
  readonly removed: readonly string[];
  /** Kept, because an asset of a user shows it. */
  readonly used: readonly string[];
}

export const listedChart = z.object({
  id: z.int(),
  uuid: z.string(),
  slice_name: z.string(),
  dashboards: z.array(z.object({ dashboard_title: z.string() })),
});
type ListedChart = z.infer<typeof listedChart>;
const listedDataset = z.object({
  id: z.int(),
  uuid: z.string(),
  table_name: z.string(),
  schema: z.string().nullish(),
});
const related = z.object({ charts: z.object({ count: z.int() }) });

/** Identified by the key in their place. @param position, charts as before the import */
export async function removeRetiredCharts(
  client: SupersetClient,
  position: Readonly<Record<string, unknown>>,
  charts: readonly ListedChart[],
): Promise<Retired> {
  const current = new Set(dashboardCharts.map(({ key }) => key));
  const retired = new Set(
    nodesOf(position).flatMap(({ id, meta }) => {
      const key = chartKeyOf(id, meta?.uuid);
      return key !== undefined && !current.has(key) ? [assetId("chart", key)] : [];
    }),
  );
  const found = charts.filter(({ uuid }) => retired.has(uuid));
  return remove(client, found, ({ id, slice_name, dashboards }) => ({
    path: `/api/v1/chart/${id}`,
    name: `chart "${slice_name}"`,
    isUsed: async () => dashboards.length > 1,
  }));
}

/** Removes datasets that this version does not declare; after the import no chart of ours uses them. */
export async function removeRetiredDatasets(client: SupersetClient): Promise<Retired> {
  const current = new Set(datasets.map(({ table }) => table));
  const found = (await client.list("dataset", listedDataset)).filter(
    ({ table_name, schema, uuid }) =>
      schema === "dm" && uuid === assetId("dataset", table_name) && !current.has(table_name),
  );
  return remove(client, found, ({ id, table_name }) => ({
    path: `/api/v1/dataset/${id}`,
    name: `dataset dm.${table_name}`,
    isUsed: async () =>
      (await client.get(`/api/v1/dataset/${id}/related_objects`, related)).charts.count > 0,
  }));
}

interface Asset {
  readonly path: string;
  readonly name: string;
  isUsed(): Promise<boolean>;
}

/** Deletes unused assets; Superset refuses to delete those that its alerts or reports use. */
async function remove<T>(
  client: SupersetClient,
  found: readonly T[],
  assetOf: (one: T) => Asset,
): Promise<Retired> {
  const removed: string[] = [];
  const used: string[] = [];
  for (const asset of found.map(assetOf)) {
    const stays = (await asset.isUsed()) || (await client.ask("DELETE", asset.path)).status >= 300;
    (stays ? used : removed).push(asset.name);
  }
  return { removed, used };
}
