import { TypeThresholdBuilder } from "@grafana/grafana-foundation-sdk/expr";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { type AlertRule, uidOf } from "../alerts/rule.ts";
import { type Dashboard, layout } from "../dashboard.ts";
import { DATASOURCE_UID } from "../uids.ts";
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

/** Returns a rule in the form of the Grafana provider, whose models are JSON. */
export const grafanaRule = (rule: AlertRule, { runbook, dashboards }: RuleTargets) => ({
  name: rule.name,
  uid: uidOf(rule),
  condition: CONDITION,
  for: rule.for,
  noDataState: rule.noData === "alert" ? "Alerting" : "OK",
  // A failed query has its own state, because it is no evidence about the pipeline.
  execErrState: "Error",
  labels: { severity: rule.severity },
  annotations: {
    ...annotationsOf(rule, `{{ humanize $values.${QUERY}.Value }}`, runbook),
    ...panelLink(rule, dashboards),
  },
  datas: [
    query(QUERY, DATASOURCE_UID, queryOf(rule)),
    query(CONDITION, EXPRESSIONS, comparison(rule)),
  ],
});

const query = (
  refId: string,
  datasourceUid: string,
  model: DataqueryBuilder | TypeThresholdBuilder,
) => ({
  refId,
  datasourceUid,
  relativeTimeRange: RANGE,
  model: JSON.stringify(model.build()),
});

const queryOf = ({ signal }: AlertRule): DataqueryBuilder =>
  new DataqueryBuilder().refId(QUERY).expr(signal.expr).instant();

const comparison = ({ fires: { when, threshold } }: AlertRule): TypeThresholdBuilder =>
  new TypeThresholdBuilder()
    .refId(CONDITION)
    .expression(QUERY)
    .conditions([{ evaluator: { type: when === "above" ? "gt" : "lt", params: [threshold] } }]);

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
