import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { Progress } from "../../terminal/progress.ts";
import { bundleFiles, connectionUri, DATABASE_NAME, type MartsAddress } from "../bundle.ts";
import { dashboardCharts, SLUG } from "../dashboard.ts";
import { countAdditions, readAdditions } from "./additions.ts";
import { refusal, SupersetClient, type SupersetLogin, waitForSuperset } from "./client.ts";
import { refuseForeignAssets } from "./conflicts.ts";
import { extrasOf, readDashboard, retiredFilters, withExtras } from "./extras.ts";
import { importFiles } from "./import-files.ts";
import { requireMarts } from "./marts.ts";
import {
  listedChart,
  type Retired,
  removeRetiredCharts,
  removeRetiredDatasets,
} from "./retired-assets.ts";
import { type ChartResult, queryCharts } from "./verify.ts";

export interface BiOptions {
  readonly superset: SupersetLogin;
  /** The marts as Superset reaches them, and the password of its user there. */
  readonly marts: MartsAddress;
  readonly martsPassword: string;
  /** How long Superset may take to answer at all. */
  readonly waitSeconds: number;
}

export interface BiOutcome {
  /** Address of the dashboard. */
  readonly dashboard: string;
  readonly charts: readonly ChartResult[];
  /** Page events the marts hold. */
  readonly rows: number;
  /** Metrics, columns, charts, texts, tabs and filters of users that were kept. */
  readonly kept: number;
  /** What former versions made and this one does not. */
  readonly retired: Retired;
}

/**
 * Brings Superset's assets to what this version declares, and asks every chart. Idempotent: what
 * was deleted comes back, what users added stays, the database's password is set anew.
 * @throws UserError where the marts, Superset or the connection between them are not as needed;
 *   nothing has been changed then
 */
export async function initBi(
  db: Database,
  { superset, marts, martsPassword, waitSeconds }: BiOptions,
  progress: Progress,
): Promise<BiOutcome> {
  progress.update(0, "looking at the marts");
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

/** Superset itself must reach the database: what this machine can reach tells nothing about it. */
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
    "make ps shows whether the database runs; make up gives the user the password of the stack's secrets",
  );
}

/**
 * One import writes everything, what users added included: cut off at any moment, it has happened
 * or not. Only then former assets go: where the import is refused, nothing has been changed.
 */
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
