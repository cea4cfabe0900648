import { z } from "zod";
import { assetId } from "../../superset/identity.ts";
import type { SupersetClient } from "../../superset/import/client.ts";
import type { Chart, Dataset } from "../../superset/model.ts";

const identity = z.object({ result: z.object({ id: z.int() }) });
const data = z.object({
  result: z.array(z.object({ data: z.array(z.record(z.string(), z.unknown())) })),
});
export type Row = Record<string, unknown>;

export const idOf = async (
  client: SupersetClient,
  kind: "chart" | "dataset" | "dashboard",
  key: string,
): Promise<number> =>
  (await client.get(`/api/v1/${kind}/${assetId(kind, key)}`, identity)).result.id;

/** Rows of a chart as Superset returns them. */
export async function rowsOf(client: SupersetClient, chart: Chart): Promise<Row[]> {
  const id = await idOf(client, "chart", chart.key);
  return firstResult((await client.ask("GET", `/api/v1/chart/${id}/data/`)).body);
}

/** Superset's answer to a query with given filters. */
export async function question(
  client: SupersetClient,
  dataset: Dataset,
  query: object,
): Promise<Row[]> {
  const id = await idOf(client, "dataset", dataset.table);
  const body = { datasource: { id, type: "table" }, queries: [query], result_type: "full" };
  return firstResult((await client.ask("POST", "/api/v1/chart/data", body)).body);
}

const generated = z.object({ result: z.tuple([z.object({ query: z.string() })]) });

/** The SQL that Superset generates for a query, without running it. */
export async function generatedSql(
  client: SupersetClient,
  dataset: Dataset,
  query: object,
): Promise<string> {
  const id = await idOf(client, "dataset", dataset.table);
  const body = { datasource: { id, type: "table" }, queries: [query], result_type: "query" };
  return generated.parse((await client.ask("POST", "/api/v1/chart/data", body)).body).result[0]
    .query;
}

const firstResult = (body: unknown): Row[] => data.parse(body).result[0]?.data ?? [];

const listed = z.object({ result: z.array(z.looseObject({ id: z.int(), uuid: z.string() })) });
const document = z.object({ result: z.looseObject({}) });

/** Everything that an import creates, without timestamps. */
export async function inventory(client: SupersetClient): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const kind of ["database", "dataset", "chart", "dashboard"]) {
    const { result } = await client.get(`/api/v1/${kind}/?q=(page_size:100)`, listed);
    for (const { id } of result) {
      const { result: asset } = await client.get(`/api/v1/${kind}/${id}`, document);
      found[`${kind} ${id}`] = withoutTimes(asset);
    }
  }
  return found;
}

const withoutTimes = (asset: object): unknown =>
  JSON.parse(
    JSON.stringify(asset, (key, value) =>
      /^(changed|created)_(on|by)|^thumbnail_url|^last_saved/.test(key) ? undefined : value,
    ),
  );
