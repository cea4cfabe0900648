import { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { allCharts } from "../dashboards/dashboards.ts";
import { assetId } from "../identity.ts";
import type { Chart } from "../model.ts";
import { refusal, type SupersetClient } from "./client.ts";

export interface ChartResult {
  readonly chart: Chart;
  readonly rows: number;
  readonly seconds: number;
  readonly error: string | undefined;
}

export interface BiOutcome {
  /** Addresses of the dashboards. */
  readonly pages: readonly string[];
  readonly charts: readonly ChartResult[];
  /** Page events of the marts. */
  readonly rows: number;
}

const identity = z.object({ result: z.object({ id: z.int() }) });
const data = z.object({
  result: z.array(z.object({ rowcount: z.int(), error: z.string().nullish() })),
});

export async function* queryCharts(client: SupersetClient): AsyncGenerator<ChartResult> {
  for (const chart of allCharts) yield await queryChart(client, chart);
}

async function queryChart(client: SupersetClient, chart: Chart): Promise<ChartResult> {
  const found = await client.find(`/api/v1/chart/${assetId("chart", chart.key)}`, identity);
  if (!found) return { chart, rows: 0, seconds: 0, error: "the chart does not exist" };
  const start = performance.now();
  const answer = await client.ask("GET", `/api/v1/chart/${found.result.id}/data/`);
  const seconds = (performance.now() - start) / 1000;
  const read = data.safeParse(answer.body);
  if (!read.success) return { chart, rows: 0, seconds, error: refusal(answer.body) };
  const [first] = read.data.result;
  return { chart, rows: first?.rowcount ?? 0, seconds, error: first?.error ?? undefined };
}

/** Checks the charts. @throws UserError if one fails, or is empty although the marts have data */
export function requireChartsToLoad({ charts, rows }: BiOutcome): void {
  const broken = charts.filter(({ error }) => error !== undefined);
  const [first] = broken;
  if (first) {
    throw new UserError(
      `${broken.length} of ${charts.length} charts fail; ${first.chart.title}: ${first.error}`,
      "run make ddl, then make bi-init",
    );
  }
  if (rows === 0) return;
  const empty = charts.filter((one) => one.rows === 0 && one.chart.emptyUntil === undefined);
  if (empty.length === 0) return;
  throw new UserError(
    `The marts have ${rows} page events, but ${empty.length} of ${charts.length} charts are empty: ` +
      `${empty.map(({ chart }) => chart.title).join(", ")}`,
    "run make transform, then make bi-init",
  );
}

const EMPTY =
  "The marts are empty, and so are the charts. To load data, run make generator-down (a load needs its " +
  "topics), make data, make transform (in Airflow: broker_load, then etl_pipeline). In live mode make up " +
  "loads data. You need not repeat bi-init.";

export function remarks({ charts, rows, pages }: BiOutcome): string[] {
  if (rows === 0) return [EMPTY];
  const empty = charts.filter((one) => one.rows === 0);
  return [
    ...empty.map(({ chart }) => `Empty until ${chart.emptyUntil}: ${chart.title}`),
    ...pages.map((page) => `Open ${page}`),
  ];
}
