import { z } from "zod";
import { allCharts } from "../dashboards/dashboards.ts";
import { datasets } from "../datasets.ts";
import { assetId } from "../identity.ts";
import { chartKeyOf } from "../layout.ts";
import type { SupersetClient } from "./client.ts";
import { nodesOf } from "./user-layout.ts";

export interface RetiredAssets {
  readonly removed: readonly string[];
  /** Assets that are not removed, because an asset of a user shows them. */
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

/**
 * Removes undeclared charts.
 * @param positions layouts before the import
 * @param charts charts before the import
 */
export async function removeRetiredCharts(
  client: SupersetClient,
  positions: readonly Readonly<Record<string, unknown>>[],
  charts: readonly ListedChart[],
): Promise<RetiredAssets> {
  const current = new Set(allCharts.map(({ key }) => key));
  const retired = new Set(
    positions.flatMap(nodesOf).flatMap(({ id, meta }) => {
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

/** Removes datasets that this version does not declare; no declared chart uses them. */
export async function removeRetiredDatasets(client: SupersetClient): Promise<RetiredAssets> {
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
): Promise<RetiredAssets> {
  const removed: string[] = [];
  const used: string[] = [];
  for (const asset of found.map(assetOf)) {
    const stays = (await asset.isUsed()) || (await client.ask("DELETE", asset.path)).status >= 300;
    (stays ? used : removed).push(asset.name);
  }
  return { removed, used };
}
