import { z } from "zod";
import { type Additions, type AdditionsByTable, CREATED_BY_BI_INIT } from "../bundle.ts";
import { columnsOf } from "../columns.ts";
import { datasets } from "../datasets.ts";
import { assetId } from "../identity.ts";
import type { Dataset } from "../model.ts";
import type { SupersetClient } from "./client.ts";

/** Column of a dataset, without ids and times, which belong to the installation. */
const column = z.object({
  column_name: z.string(),
  verbose_name: z.string().nullish(),
  type: z.string().nullish(),
  advanced_data_type: z.string().nullish(),
  is_dttm: z.boolean().nullish(),
  is_active: z.boolean().nullish(),
  groupby: z.boolean().optional(),
  filterable: z.boolean().optional(),
  expression: z.string().nullish(),
  description: z.string().nullish(),
  python_date_format: z.string().nullish(),
  extra: z.string().nullish(),
});
const metric = z.object({
  metric_name: z.string(),
  verbose_name: z.string().nullish(),
  metric_type: z.string().nullish(),
  expression: z.string(),
  description: z.string().nullish(),
  d3format: z.string().nullish(),
  currency: z.unknown().optional(),
  extra: z.string().nullish(),
  warning_text: z.string().nullish(),
});
const answer = z.object({
  result: z.object({ columns: z.array(column), metrics: z.array(metric) }),
});

interface Found {
  readonly additions: AdditionsByTable;
  readonly retired: readonly string[];
}

export async function readAdditions(client: SupersetClient): Promise<Found> {
  const additions = new Map<string, Additions>();
  const retired: string[] = [];
  for (const dataset of datasets) {
    const path = `/api/v1/dataset/${assetId("dataset", dataset.table)}`;
    const stored = await client.find(path, answer);
    if (!stored) continue;
    const unknown = unknownTo(dataset, stored.result);
    additions.set(dataset.table, {
      columns: unknown.columns.filter(({ extra }) => !isOurs(extra)),
      metrics: unknown.metrics.filter(({ extra }) => !isOurs(extra)),
    });
    const names = [
      ...unknown.columns
        .filter(({ extra }) => isOurs(extra))
        .map((c) => `column "${c.column_name}"`),
      ...unknown.metrics
        .filter(({ extra }) => isOurs(extra))
        .map((m) => `metric "${m.metric_name}"`),
    ];
    retired.push(...names.map((name) => `${name} of dm.${dataset.table}`));
  }
  return { additions, retired };
}

function unknownTo(dataset: Dataset, stored: z.infer<typeof answer>["result"]) {
  const columns = new Set([
    ...columnsOf(dataset.table).map(({ name }) => name),
    ...dataset.calculated.map(({ name }) => name),
  ]);
  const metrics = new Set(dataset.metrics.map(({ key }) => key));
  return {
    // A column without an expression belongs to a previous version of the mart.
    columns: stored.columns.filter((c) => c.expression && !columns.has(c.column_name)),
    metrics: stored.metrics.filter((m) => !metrics.has(m.metric_name)),
  };
}

const marked = z.looseObject({ made_by: z.literal(CREATED_BY_BI_INIT.made_by) });

/** True if bi-init made the item. An edited item is a user's: Superset's editor drops the mark. */
function isOurs(extra: string | null | undefined): boolean {
  try {
    return marked.safeParse(JSON.parse(extra || "{}")).success;
  } catch {
    return false;
  }
}

export const countAdditions = (additions: AdditionsByTable): number =>
  [...additions.values()].reduce(
    (sum, { columns, metrics }) => sum + columns.length + metrics.length,
    0,
  );
