import type * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import * as grafana from "@pulumiverse/grafana";
import type { GrafanaContent } from "../../dashboards/delivery/content.ts";
import { EVALUATION_SECONDS } from "../../dashboards/delivery/prometheus.ts";
import { DASHBOARD_UIDS, FOLDER_UID } from "../../dashboards/uids.ts";
import type { Use } from "../shared/use.ts";

export interface GrafanaContentArgs {
  readonly url: string;
  /** What has to be ready: the administrator's login, and the folder. */
  readonly use: Use;
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

/** Delivers dashboards and alerts to a running Grafana. */
export function deliverContent(
  name: string,
  { url, use, login, content, webhook, data }: GrafanaContentArgs,
  parent: pulumi.Resource,
): void {
  const provider = new grafana.Provider(
    `${name}-provider`,
    { url, auth: login, retries: RETRIES },
    { parent, dependsOn: [...use.ready] },
  );
  // A new container keeps the volume, so removed rules need API deletes while the volume exists.
  const opts = { parent, provider, deletedWith: data };
  deliverDashboards(name, content, opts);
  const contactPoint = new grafana.alerting.ContactPoint(
    `${name}-contact-point`,
    { name: "Webhook", webhooks: [{ url: webhook }] },
    opts,
  );
  deliverRules(name, content, contactPoint, opts);
}

function deliverDashboards(
  name: string,
  { dashboards: planned }: GrafanaContent,
  opts: pulumi.CustomResourceOptions,
): void {
  const dashboards = planned.map(
    (dashboard) =>
      new grafana.oss.Dashboard(
        `${name}-${dashboard.uid}`,
        { folder: FOLDER_UID, configJson: JSON.stringify(dashboard), overwrite: true },
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
      { name: group, folderUid: FOLDER_UID, intervalSeconds: EVALUATION_SECONDS, rules },
      opts,
    );
  }
}
