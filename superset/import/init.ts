import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { Progress } from "../../terminal/progress.ts";
import { bundleFiles, connectionUri, DATABASE_NAME, type MartsAddress } from "../bundle.ts";
import { allCharts, dashboards } from "../dashboards/dashboards.ts";
import { refusal, SupersetClient, type SupersetLogin, waitForSuperset } from "./client.ts";
import { refuseForeignAssets } from "./conflicts.ts";
import { readCustomizations } from "./dashboard-customizations.ts";
import { countAdditions, readAdditions } from "./dataset-customizations.ts";
import { importFiles } from "./import-files.ts";
import { requireMarts } from "./marts.ts";
import {
  listedChart,
  type RetiredAssets,
  removeRetiredCharts,
  removeRetiredDatasets,
} from "./retired-assets.ts";
import { type ChartResult, queryCharts } from "./verify.ts";

export interface BiOptions {
  readonly superset: SupersetLogin;
  readonly marts: MartsAddress;
  readonly martsPassword: string;
  readonly waitSeconds: number;
}

export interface BiOutcome {
  /** Addresses of the dashboards. */
  readonly pages: readonly string[];
  readonly charts: readonly ChartResult[];
  readonly rows: number;
  readonly kept: number;
  readonly retired: RetiredAssets;
}

/** Imports the dashboards; keeps users' additions. @throws UserError, before any change */
export async function initBi(
  db: Database,
  { superset, marts, martsPassword, waitSeconds }: BiOptions,
  progress: Progress,
): Promise<BiOutcome> {
  progress.update(0, "checking the marts");
  const { rows } = await requireMarts(db);
  progress.update(0.05, "waiting for Superset");
  await waitForSuperset(superset.url, waitSeconds);
  const client = await SupersetClient.login(superset);
  await requireConnection(client, marts, martsPassword);
  await refuseForeignAssets(client);
  progress.update(0.2, "importing");
  const { kept, retired } = await importAssets(client, marts, martsPassword);
  const charts: ChartResult[] = [];
  for await (const result of queryCharts(client)) {
    charts.push(result);
    progress.update(0.5 + (0.5 * charts.length) / allCharts.length, result.chart.title);
  }
  const pages = dashboards.map(({ slug }) => `${superset.url}/superset/dashboard/${slug}/`);
  return { pages, charts, rows, kept, retired };
}

/** Checks Superset's connection, which may differ from this machine's. */
async function requireConnection(
  client: SupersetClient,
  marts: MartsAddress,
  password: string,
): Promise<void> {
  const answer = await client.ask("POST", "/api/v1/database/test_connection/", {
    database_name: DATABASE_NAME,
    sqlalchemy_uri: connectionUri(marts, password),
    impersonate_user: false,
    extra: "{}",
  });
  if (answer.status < 300) return;
  throw new UserError(
    `Superset cannot log in to ClickHouse at ${marts.host}:${marts.port} as ${marts.user}: ${refusal(answer.body)}`,
    "run make ps to see whether the database runs, or make up to set the user's password from the stack's secrets",
  );
}

/** Imports, then removes retired assets, so that a refused import changes nothing. */
async function importAssets(
  client: SupersetClient,
  marts: MartsAddress,
  password: string,
): Promise<Pick<BiOutcome, "kept" | "retired">> {
  const { additions, retired } = await readAdditions(client);
  const charts = await client.list("chart", listedChart);
  const numbers = new Map(charts.map(({ id, uuid }) => [id, uuid]));
  const pages = await Promise.all(
    dashboards.map((one) => readCustomizations(client, one, numbers)),
  );
  const assets = pages.map(({ asset }) => asset);
  await importFiles(client, bundleFiles(marts, additions, assets), password);
  const positions = pages.map(({ position }) => position);
  const oldCharts = await removeRetiredCharts(client, positions, charts);
  const oldDatasets = await removeRetiredDatasets(client);
  return {
    kept: countAdditions(additions) + pages.reduce((sum, { kept }) => sum + kept, 0),
    retired: {
      removed: [
        ...oldCharts.removed,
        ...oldDatasets.removed,
        ...retired,
        ...pages.flatMap(({ retired: filters }) => filters),
      ],
      used: [...oldCharts.used, ...oldDatasets.used],
    },
  };
}
