import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { Progress } from "../../terminal/progress.ts";
import { bundleFiles, connectionUri, DATABASE_NAME, type MartsAddress } from "../bundle.ts";
import { dashboardCharts, SLUG } from "../dashboard.ts";
import { refusal, SupersetClient, type SupersetLogin, waitForSuperset } from "./client.ts";
import { refuseForeignAssets } from "./conflicts.ts";
import { extrasOf, readDashboard, retiredFilters, withExtras } from "./dashboard-customizations.ts";
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
  readonly dashboard: string;
  readonly charts: readonly ChartResult[];
  readonly rows: number;
  readonly kept: number;
  readonly retired: RetiredAssets;
}

/** Imports the dashboard; keeps users' additions. @throws UserError, before any change */
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
    progress.update(0.5 + (0.5 * charts.length) / dashboardCharts.length, result.chart.title);
  }
  return { dashboard: `${superset.url}/superset/dashboard/${SLUG}/`, charts, rows, kept, retired };
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
  const stored = await readDashboard(client);
  const charts = await client.list("chart", listedChart);
  const extras = extrasOf(stored, new Map(charts.map(({ id, uuid }) => [id, uuid])));
  await importFiles(client, bundleFiles(marts, additions, withExtras(extras)), password);
  const oldCharts = await removeRetiredCharts(client, stored.position, charts);
  const oldDatasets = await removeRetiredDatasets(client);
  return {
    kept: countAdditions(additions) + extras.count + extras.filters.length,
    retired: {
      removed: [
        ...oldCharts.removed,
        ...oldDatasets.removed,
        ...retired,
        ...retiredFilters(stored.filters),
      ],
      used: [...oldCharts.used, ...oldDatasets.used],
    },
  };
}
