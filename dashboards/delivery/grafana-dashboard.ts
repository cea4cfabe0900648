import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { layout, type Page } from "../dashboard.ts";
import { EVERY_JOB } from "../promql.ts";
import { DATASOURCE, grafanaPanel } from "./panels.ts";

/** Tag by which the dashboards link to each other. */
const TAG = "event-pipeline";

/** Link to another tool of the stack. */
export interface Tool {
  readonly title: string;
  readonly url: string;
}

/** Builds Grafana's JSON model of a dashboard. */
export function grafanaDashboard(page: Page, tools: readonly Tool[]): Dashboard {
  const builder = new DashboardBuilder(page.title)
    .uid(page.uid)
    .description(page.about)
    .tags([TAG])
    .timezone("utc")
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: "now-1h", to: "now" })
    .refresh("30s")
    .links([dashboardsLink(), ...tools.map(toolLink)])
    .annotation(restarts());
  for (const row of layout(page)) {
    builder.withRow(new RowBuilder(row.title).id(row.id).gridPos({ x: 0, y: row.y, w: 24, h: 1 }));
    for (const placed of row.panels) builder.withPanel(grafanaPanel(placed));
  }
  const { links = [], ...model } = builder.build();
  // The SDK's default would hide the links in a menu.
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

/** Query for targets that went down or came up. */
export const RESTARTS = `changes(up{${EVERY_JOB}}[1m]) > 0`;

/** Annotations for restarts of services, which explain most jumps. */
const restarts = (): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name("Restarts")
    .datasource({ ...DATASOURCE })
    .enable(true)
    .iconColor("orange")
    .expr(RESTARTS);
