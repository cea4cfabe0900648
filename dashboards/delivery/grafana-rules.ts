import type { Rule } from "@grafana/grafana-foundation-sdk/alerting";
import { QueryBuilder, RuleBuilder } from "@grafana/grafana-foundation-sdk/alerting";
import { TypeThresholdBuilder } from "@grafana/grafana-foundation-sdk/expr";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { type AlertRule, uidOf } from "../alerts/rule.ts";
import { type Dashboard, layout } from "../dashboard.ts";
import { DATASOURCE_UID, FOLDER_UID } from "../uids.ts";
import { annotationsOf } from "./annotations.ts";

const EXPRESSIONS = "__expr__";
const QUERY = "A";
const CONDITION = "B";
/** Time range of a query, seconds before now; all queries here are instant. */
const RANGE = { from: 600, to: 0 } as const;

export interface RuleTargets {
  /** Address of the runbook, whose anchors are the rules' names; undefined without a runbook. */
  readonly runbook: string | undefined;
  readonly dashboards: readonly Dashboard[];
}

export const grafanaRule = (rule: AlertRule, { runbook, dashboards }: RuleTargets): Rule =>
  new RuleBuilder(rule.name)
    .uid(uidOf(rule))
    .folderUID(FOLDER_UID)
    .ruleGroup(rule.group)
    .condition(CONDITION)
    .queries([signalQuery(rule), comparison(rule)])
    .forDuration(rule.for)
    .noDataState(rule.noData === "alert" ? "Alerting" : "OK")
    // A failed query has its own state, because it is no evidence about the pipeline.
    .execErrState("Error")
    .labels({ severity: rule.severity })
    .annotations({
      ...annotationsOf(rule, `{{ humanize $values.${QUERY}.Value }}`, runbook),
      ...panelLink(rule, dashboards),
    })
    .build();

/** Returns both annotations or none, because Grafana refuses one alone. */
function panelLink(rule: AlertRule, dashboards: readonly Dashboard[]): Record<string, string> {
  const id = panelIdOf(rule, dashboards);
  return id === undefined ? {} : { __dashboardUid__: rule.dashboard, __panelId__: String(id) };
}

export function panelIdOf(rule: AlertRule, dashboards: readonly Dashboard[]): number | undefined {
  const dashboard = dashboards.find(({ uid }) => uid === rule.dashboard);
  return dashboard
    ? layout(dashboard)
        .flatMap(({ panels }) => panels)
        .find(({ panel }) => panel.signals.includes(rule.seenIn ?? rule.signal))?.id
    : undefined;
}

const signalQuery = ({ signal }: AlertRule): QueryBuilder =>
  new QueryBuilder(QUERY)
    .datasourceUid(DATASOURCE_UID)
    .relativeTimeRange({ ...RANGE })
    .model(new DataqueryBuilder().refId(QUERY).expr(signal.expr).instant());

const comparison = ({ fires }: AlertRule): QueryBuilder =>
  new QueryBuilder(CONDITION)
    .datasourceUid(EXPRESSIONS)
    .relativeTimeRange({ ...RANGE })
    .model(
      new TypeThresholdBuilder()
        .refId(CONDITION)
        .expression(QUERY)
        .conditions([
          {
            evaluator: { type: fires.when === "above" ? "gt" : "lt", params: [fires.threshold] },
          },
        ]),
    );
