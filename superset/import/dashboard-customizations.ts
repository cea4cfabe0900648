import { z } from "zod";
import type { Dashboard } from "../dashboards/dashboard.ts";
import { FILTER_PREFIX } from "../dashboards/filters.ts";
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

/** UUIDs by chart number. */
type ChartNumbers = ReadonlyMap<number, string>;

const parsed = <T>(schema: z.ZodType<T>, text: string | null | undefined): T =>
  schema.parse(JSON.parse(text || "{}"));

/** Reads a dashboard as Superset stores it, and adds what users added to the declared one. */
export async function readCustomizations(
  client: SupersetClient,
  dashboard: Dashboard,
  charts: ChartNumbers,
) {
  const { slug } = dashboard;
  const stored = await client.find(`/api/v1/dashboard/${assetId("dashboard", slug)}`, answer);
  const position = parsed(tree, stored?.result.position_json);
  const found = parsed(metadata, stored?.result.json_metadata).native_filter_configuration ?? [];
  const declared = new Set(dashboard.charts.map(({ key }) => assetId("chart", key)));
  const layout = userLayoutOf(position, { byNumber: charts, declared });
  const filters = found
    .filter(({ id }) => !isOurFilter(id))
    .map((one) => withReplacements(one, replacementsIn(dashboard), charts));
  return {
    position,
    kept: layout.count + filters.length,
    retired: retiredFilters(dashboard, found),
    asset: withUserParts(dashboard, layout, filters),
  };
}

function retiredFilters({ asset }: Dashboard, filters: readonly Filter[]): string[] {
  const current = new Set(asset.metadata.native_filter_configuration.map(({ id }) => id));
  return filters
    .filter(({ id }) => id.startsWith(FILTER_PREFIX) && !current.has(id))
    .map(({ id, name }) => `filter "${name ?? id}"`);
}

/** True for a declared filter; the first version used names without a prefix. */
const isOurFilter = (id: string): boolean =>
  id.startsWith(FILTER_PREFIX) || /^NATIVE_FILTER-(date|source|device|country)$/.test(id);

/** Placeholder numbers of the declared charts, by UUID. */
const replacementsIn = ({ asset }: Dashboard): ReadonlyMap<string, number> =>
  new Map(
    nodesOf(asset.position).flatMap(({ meta }) =>
      meta?.uuid && typeof meta.chartId === "number" ? [[meta.uuid, meta.chartId] as const] : [],
    ),
  );

function withReplacements(
  one: Filter,
  replacements: ReadonlyMap<string, number>,
  charts: ChartNumbers,
): Filter {
  if (!one.scope?.excluded) return one;
  const excluded = one.scope.excluded.map((id) => replacements.get(charts.get(id) ?? "") ?? id);
  return { ...one, scope: { ...one.scope, excluded } };
}

function withUserParts(
  { slug, asset }: Dashboard,
  { nodes, lines }: UserLayout,
  filters: readonly Filter[],
) {
  const { position, metadata: ours } = asset;
  const { GRID_ID: grid } = position;
  if (typeof grid !== "object") throw new Error(`The dashboard ${slug} has no grid`);
  return {
    ...asset,
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
