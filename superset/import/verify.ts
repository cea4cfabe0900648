import { z } from "zod";
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
