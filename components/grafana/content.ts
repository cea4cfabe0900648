import type { Rule } from "@grafana/grafana-foundation-sdk/alerting";
import type * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import * as grafana from "@pulumiverse/grafana";
import type { GrafanaContent } from "../../dashboards/delivery/content.ts";
import { EVALUATION_SECONDS } from "../../dashboards/delivery/prometheus.ts";
import { DASHBOARD_UIDS, FOLDER_TITLE, FOLDER_UID } from "../../dashboards/uids.ts";
import type { Ready } from "../shared/service.ts";

export interface GrafanaContentArgs {
  readonly url: string;
  /** What has to be ready before the administrator can log in. */
  readonly after: readonly Ready[];
  /** `user:password`. */
  readonly login: pulumi.Output<string>;
  readonly content: GrafanaContent;
  /** Address that receives a POST for each group of alerts. */
  readonly webhook: pulumi.Input<string>;
  /** Volume of Grafana's database, which stores the content. */
  readonly data: docker.Volume;
}

/** Number of retries of the provider, because Grafana may have just started. */
const RETRIES = 5;

/** Delivers folder, dashboards and alerts to a running Grafana. */
export function deliverContent(
  name: string,
  { url, after, login, content, webhook, data }: GrafanaContentArgs,
  parent: pulumi.Resource,
): void {
  const provider = new grafana.Provider(
    `${name}-provider`,
    { url, auth: login, retries: RETRIES },
    { parent, dependsOn: [...after] },
  );
  // A new container keeps the volume, so removed rules need API deletes while the volume exists.
  const opts = { parent, provider, deletedWith: data };
  const folder = new grafana.oss.Folder(
    `${name}-folder`,
    { uid: FOLDER_UID, title: FOLDER_TITLE },
    opts,
  );
  deliverDashboards(name, content, folder, opts);
  const contactPoint = new grafana.alerting.ContactPoint(
    `${name}-contact-point`,
    { name: "Webhook", webhooks: [{ url: webhook }] },
    opts,
  );
  deliverRules(name, content, folder, contactPoint, opts);
}

function deliverDashboards(
  name: string,
  { dashboards: planned }: GrafanaContent,
  folder: grafana.oss.Folder,
  opts: pulumi.CustomResourceOptions,
): void {
  const dashboards = planned.map(
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

function deliverRules(
  name: string,
  { rules: groups }: GrafanaContent,
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
  for (const { group, rules } of groups) {
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
