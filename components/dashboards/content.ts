import type { Rule } from "@grafana/grafana-foundation-sdk/alerting";
import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import * as grafana from "@pulumiverse/grafana";
import { EVALUATION_SECONDS } from "../../dashboards/delivery/prometheus.ts";
import { DASHBOARD_UIDS, FOLDER_TITLE, FOLDER_UID } from "../../dashboards/uids.ts";
import { type SecretOutputs, textWith } from "../resources/secret.ts";
import type { Service } from "../resources/service.ts";
import { type DashboardsPlan, GRAFANA_ADMIN } from "./spec.ts";

export interface GrafanaContentArgs {
  readonly plan: DashboardsPlan;
  readonly password: pulumi.Output<string>;
  readonly secrets: SecretOutputs;
  readonly service: Service;
  readonly administrator: pulumi.Resource;
  /** Volume of Grafana's database, which stores the content. */
  readonly library: docker.Volume;
}

/** Number of retries of the provider, because Grafana may have just started. */
const RETRIES = 5;

export function deliverContent(
  name: string,
  { plan, password, secrets, service, administrator, library }: GrafanaContentArgs,
  parent: pulumi.Resource,
): void {
  const provider = new grafana.Provider(
    `${name}-provider`,
    {
      url: plan.address.url,
      auth: pulumi.secret(pulumi.interpolate`${GRAFANA_ADMIN}:${password}`),
      retries: RETRIES,
    },
    { parent, dependsOn: [service, administrator] },
  );
  // A new container keeps the volume, so removed rules need API deletes while the volume exists.
  const opts = { parent, provider, deletedWith: library };
  const folder = new grafana.oss.Folder(
    `${name}-folder`,
    { uid: FOLDER_UID, title: FOLDER_TITLE },
    opts,
  );
  deliverDashboards(name, plan, folder, opts);
  const contactPoint = deliverContactPoint(name, plan, secrets, opts);
  deliverRules(name, plan, folder, contactPoint, opts);
}

function deliverDashboards(
  name: string,
  { content }: DashboardsPlan,
  folder: grafana.oss.Folder,
  opts: pulumi.CustomResourceOptions,
): void {
  const dashboards = content.dashboards.map(
    (dashboard) =>
      new grafana.oss.Dashboard(
        `${name}-${dashboard.uid}`,
        { folder: folder.uid, configJson: JSON.stringify(dashboard), overwrite: true },
        opts,
      ),
  );
  new grafana.oss.OrganizationPreferences(
    `${name}-preferences`,
    { homeDashboardUid: DASHBOARD_UIDS.pipeline, timezone: "utc" },
    { ...opts, dependsOn: dashboards },
  );
}

function deliverContactPoint(
  name: string,
  { contactPoint }: DashboardsPlan,
  secrets: SecretOutputs,
  opts: pulumi.CustomResourceOptions,
): grafana.alerting.ContactPoint {
  const url =
    typeof contactPoint.url === "string" ? contactPoint.url : textWith(contactPoint.url, secrets);
  return new grafana.alerting.ContactPoint(
    `${name}-contact-point`,
    { name: contactPoint.name, webhooks: [{ url }] },
    opts,
  );
}

function deliverRules(
  name: string,
  { content }: DashboardsPlan,
  folder: grafana.oss.Folder,
  contactPoint: grafana.alerting.ContactPoint,
  opts: pulumi.CustomResourceOptions,
): void {
  new grafana.alerting.NotificationPolicy(
    `${name}-policy`,
    {
      contactPoint: contactPoint.name,
      groupBies: ["grafana_folder", "alertname"],
      groupWait: "10s",
      groupInterval: "1m",
      repeatInterval: "4h",
    },
    opts,
  );
  for (const { group, rules } of content.rules) {
    new grafana.alerting.RuleGroup(
      `${name}-rules-${group}`,
      {
        name: group,
        folderUid: folder.uid,
        intervalSeconds: EVALUATION_SECONDS,
        rules: rules.map(resourceRule),
      },
      opts,
    );
  }
}

const resourceRule = (rule: Rule): grafana.types.input.alerting.RuleGroupRule => ({
  name: rule.title,
  ...(rule.uid ? { uid: rule.uid } : {}),
  condition: rule.condition,
  for: rule.for,
  noDataState: rule.noDataState,
  execErrState: rule.execErrState,
  labels: { ...rule.labels },
  annotations: { ...rule.annotations },
  datas: rule.data.map((query) => ({
    refId: query.refId ?? "",
    datasourceUid: query.datasourceUid ?? "",
    model: JSON.stringify(query.model),
    relativeTimeRange: {
      from: query.relativeTimeRange?.from ?? 0,
      to: query.relativeTimeRange?.to ?? 0,
    },
  })),
});
