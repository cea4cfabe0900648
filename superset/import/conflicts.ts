import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { DATABASE_NAME } from "../bundle.ts";
import { dashboards } from "../dashboards/dashboards.ts";
import { datasets } from "../datasets.ts";
import { assetId } from "../identity.ts";
import type { SupersetClient } from "./client.ts";

const named = z.object({
  uuid: z.string(),
  database_name: z.string().optional(),
  table_name: z.string().optional(),
  schema: z.string().nullish(),
  database: z.object({ uuid: z.string().optional() }).optional(),
});
const dashboardAnswer = z.object({
  result: z.object({ uuid: z.string(), dashboard_title: z.string() }),
});

/** Refuses taken names, which are unique in Superset. @throws UserError that lists the assets */
export async function refuseForeignAssets(client: SupersetClient): Promise<void> {
  const found = [
    ...(await foreignDatabases(client)),
    ...(await foreignDatasets(client)),
    ...(await Promise.all(dashboards.map(({ slug }) => foreignDashboard(client, slug)))).flat(),
  ];
  if (found.length === 0) return;
  throw new UserError(
    `Superset at ${client.url} has assets with the names of bi-init's assets:\n` +
      found.map((line) => `  ${line}`).join("\n"),
    "rename or delete them in Superset, then run make bi-init",
  );
}

async function foreignDatabases(client: SupersetClient): Promise<string[]> {
  const result = await client.list("database", named);
  const own = assetId("database", "marts");
  return result
    .filter(({ uuid, database_name }) => database_name === DATABASE_NAME && uuid !== own)
    .map(() => `the database connection "${DATABASE_NAME}"`);
}

async function foreignDatasets(client: SupersetClient): Promise<string[]> {
  const result = await client.list("dataset", named);
  const own = new Map(datasets.map(({ table }) => [table, assetId("dataset", table)]));
  const database = assetId("database", "marts");
  return result
    .filter((asset) => asset.database?.uuid === database && asset.schema === "dm")
    .filter(({ table_name = "", uuid }) => own.has(table_name) && own.get(table_name) !== uuid)
    .map(({ table_name }) => `the dataset dm.${table_name}`);
}

async function foreignDashboard(client: SupersetClient, slug: string): Promise<string[]> {
  const found = await client.find(`/api/v1/dashboard/${slug}`, dashboardAnswer);
  if (!found || found.result.uuid === assetId("dashboard", slug)) return [];
  return [`the dashboard "${found.result.dashboard_title}" with the address ${slug}`];
}
