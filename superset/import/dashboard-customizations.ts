import { z } from "zod";
import { dashboard, FILTER_PREFIX, SLUG } from "../dashboard.ts";
import { assetId } from "../identity.ts";
import type { SupersetClient } from "./client.ts";
import { nodesOf, type UserLayout, userLayoutOf } from "./user-layout.ts";

const filter = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  scope: z.looseObject({ excluded: z.array(z.int()).optional() }).optional(),
});
type Filter = z.infer<typeof filter>;
const metadata = z.looseObject({ native_filter_configuration: z.array(filter).optional() });
const tree = z.record(z.string(), z.unknown());

const answer = z.object({
  result: z.object({
    position_json: z.string().nullish(),
    json_metadata: z.string().nullish(),
  }),
});

export interface UserCustomizations extends UserLayout {
  readonly filters: readonly Filter[];
}

export type ChartNumbers = ReadonlyMap<number, string>;

const STAND_INS = new Map(
  nodesOf(dashboard.position).flatMap(({ meta }) =>
    meta?.uuid && meta.chartId !== undefined ? [[meta.uuid, meta.chartId] as const] : [],
  ),
);

const parsed = <T>(schema: z.ZodType<T>, text: string | null | undefined): T =>
  schema.parse(JSON.parse(text || "{}"));

export async function readDashboard(client: SupersetClient) {
  const stored = await client.find(`/api/v1/dashboard/${assetId("dashboard", SLUG)}`, answer);
  return {
    position: parsed(tree, stored?.result.position_json),
    filters: parsed(metadata, stored?.result.json_metadata).native_filter_configuration ?? [],
  };
}

export function extrasOf(
  { position, filters }: Awaited<ReturnType<typeof readDashboard>>,
  charts: ChartNumbers,
): UserCustomizations {
  return {
    ...userLayoutOf(position, charts),
    filters: filters
      .filter(({ id }) => !isOurFilter(id))
      .map((one) => withReplacements(one, charts)),
  };
}

const CURRENT = new Set(dashboard.metadata.native_filter_configuration.map(({ id }) => id));

export const retiredFilters = (filters: readonly Filter[]): string[] =>
  filters
    .filter(({ id }) => id.startsWith(FILTER_PREFIX) && !CURRENT.has(id))
    .map(({ id, name }) => `filter "${name ?? id}"`);

/** True for a declared filter; the first version used names without a prefix. */
const isOurFilter = (id: string): boolean =>
  id.startsWith(FILTER_PREFIX) || /^NATIVE_FILTER-(date|source|device|country)$/.test(id);

function withReplacements(one: Filter, charts: ChartNumbers): Filter {
  if (!one.scope?.excluded) return one;
  const excluded = one.scope.excluded.map((id) => STAND_INS.get(charts.get(id) ?? "") ?? id);
  return { ...one, scope: { ...one.scope, excluded } };
}

export function withExtras({ nodes, lines, filters }: UserCustomizations): object {
  const { position, metadata: ours } = dashboard;
  const { GRID_ID: grid } = position;
  if (typeof grid !== "object") throw new Error("The dashboard has no grid");
  return {
    ...dashboard,
    position: {
      ...position,
      ...Object.fromEntries(nodes.map((node) => [node.id, node])),
      GRID_ID: { ...grid, children: [...grid.children, ...lines] },
    },
    metadata: {
      ...ours,
      native_filter_configuration: [...ours.native_filter_configuration, ...filters],
    },
  };
}
