import { MartsMissing, UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import type { Progress } from "../../terminal/progress.ts";
import {
  bundleFiles,
  connectionUri,
  DATABASE_FILE,
  DATABASE_NAME,
  type MartsAddress,
} from "../bundle.ts";
import { allCharts, dashboards } from "../dashboards/dashboards.ts";
import { datasets } from "../datasets.ts";
import { refusal, SupersetClient, type SupersetLogin, waitForSuperset } from "./client.ts";
import { refuseForeignAssets } from "./conflicts.ts";
import { type BiOutcome, type ChartResult, queryCharts } from "./outcome.ts";
import { zip } from "./zip.ts";

export interface BiOptions {
  readonly superset: SupersetLogin;
  readonly marts: MartsAddress;
  readonly martsPassword: string;
  readonly waitSeconds: number;
}

/** Imports our assets over those in Superset; others stay. @throws UserError, before any change */
export async function initBi(
  db: Database,
  { superset, marts, martsPassword, waitSeconds }: BiOptions,
  progress: Progress,
): Promise<BiOutcome> {
  progress.update(0, "checking the marts");
  const rows = await requireMarts(db);
  progress.update(0.05, "waiting for Superset");
  await waitForSuperset(superset.url, waitSeconds);
  const client = await SupersetClient.login(superset);
  await requireConnection(client, marts, martsPassword);
  await refuseForeignAssets(client);
  progress.update(0.2, "importing");
  await importAssets(client, bundleFiles(marts), martsPassword);
  const charts: ChartResult[] = [];
  for await (const result of queryCharts(client)) {
    charts.push(result);
    progress.update(0.5 + (0.5 * charts.length) / allCharts.length, result.chart.title);
  }
  const pages = dashboards.map(({ slug }) => `${superset.url}/superset/dashboard/${slug}/`);
  return { pages, charts, rows };
}

const ORDER =
  "make ddl, make generator-down (a load needs its topics), make data, make transform, make bi-init";

/** Returns the number of page events. @throws MartsMissing with the missing marts and the commands */
export async function requireMarts(db: Database): Promise<number> {
  const present = await db.rows<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = 'dm'",
  );
  const names = new Set(present.map(({ name }) => name));
  const missing = datasets.map(({ table }) => `dm.${table}`).filter((n) => !names.has(n.slice(3)));
  if (missing.length > 0) {
    throw new MartsMissing(
      `${db.label} lacks marts of the dashboard: ${missing.join(", ")}`,
      `run in this order: ${ORDER}`,
    );
  }
  const [counted] = await db.rows<{ rows: number }>(
    "SELECT toUInt32(count()) AS rows FROM dm.v_events_enriched",
  );
  return counted?.rows ?? 0;
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

/** Imports in one transaction. @param password of the connection @throws UserError */
async function importAssets(
  client: SupersetClient,
  files: ReadonlyMap<string, string>,
  password: string,
): Promise<void> {
  const inFolder = new Map([...files].map(([path, text]) => [`event-pipeline/${path}`, text]));
  const form = new FormData();
  form.set("bundle", new Blob([zip(inFolder)], { type: "application/zip" }), "event-pipeline.zip");
  form.set("passwords", JSON.stringify({ [DATABASE_FILE]: password }));
  const answer = await client.ask("POST", "/api/v1/assets/import/", form);
  if (answer.status < 300) return;
  throw new UserError(
    `Superset refused the assets: ${refusal(answer.body)}`,
    "run make logs SERVICE=superset for the reason",
  );
}
