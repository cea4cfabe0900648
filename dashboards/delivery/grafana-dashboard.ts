import {
  AnnotationQueryBuilder,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type Dashboard as GrafanaDashboard,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { type Dashboard, layout } from "../dashboard.ts";
import { EVERY_JOB } from "../promql.ts";
import { DATASOURCE, grafanaPanel } from "./panels.ts";

const TAG = "event-pipeline";

export interface Tool {
  readonly title: string;
  readonly url: string;
}

export function grafanaDashboard(dashboard: Dashboard, tools: readonly Tool[]): GrafanaDashboard {
  const builder = new DashboardBuilder(dashboard.title)
    .uid(dashboard.uid)
    .description(dashboard.about)
    .tags([TAG])
    .timezone("utc")
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: "now-1h", to: "now" })
    .refresh("30s")
    .links([dashboardsLink(), ...tools.map(toolLink)])
    .annotation(restarts());
  for (const row of layout(dashboard)) {
    builder.withRow(new RowBuilder(row.title).id(row.id).gridPos({ x: 0, y: row.y, w: 24, h: 1 }));
    for (const placed of row.panels) builder.withPanel(grafanaPanel(placed));
  }
  const { links = [], ...model } = builder.build();
  return { ...model, links: links.map(({ placement: _hidden, ...link }) => link) };
}

const dashboardsLink = (): DashboardLinkBuilder =>
  new DashboardLinkBuilder("Dashboards")
    .type(DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(true)
    .keepTime(true);

const toolLink = ({ title, url }: Tool): DashboardLinkBuilder =>
  new DashboardLinkBuilder(title)
    .type(DashboardLinkType.Link)
    .icon("external link")
    .url(url)
    .targetBlank(true);

export const RESTARTS = `changes(up{${EVERY_JOB}}[1m]) > 0`;

const restarts = (): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name("Restarts")
    .datasource({ ...DATASOURCE })
    .enable(true)
    .iconColor("orange")
    .expr(RESTARTS);
