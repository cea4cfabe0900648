import { dirname } from "node:path/posix";
import type { Rule } from "@grafana/grafana-foundation-sdk/alerting";
import { stringify } from "yaml";
import { uidOf } from "../alerts/rule.ts";
import { alertRules } from "../alerts/rules.ts";
import { DATASOURCE_UID, FOLDER_TITLE, FOLDER_UID } from "../uids.ts";
import type { GrafanaContent } from "./content.ts";
import { type ContactPoint, policy } from "./notifications.ts";
import { EVALUATION_SECONDS } from "./prometheus.ts";

export const PROVISIONING = "/etc/grafana/provisioning";
const ORG = 1;

export interface ProvisioningFile {
  readonly path: string;
  readonly content: string;
}

const PROVIDERS = "dashboards/provider.yaml";
const RULES = "alerting/rules.yaml";
const CONTACT_POINTS = "alerting/contact-points.yaml";
const POLICIES = "alerting/policies.yaml";

const yaml = (path: string, content: object): ProvisioningFile => ({
  path,
  content: stringify({ apiVersion: 1, ...content }, { lineWidth: 0 }),
});

/** Returns the file of the data source, to whose fixed uid all other content refers. */
export const datasourceFile = (url: string): ProvisioningFile =>
  yaml("datasources/prometheus.yaml", {
    datasources: [
      {
        name: "Prometheus",
        uid: DATASOURCE_UID,
        type: "prometheus",
        access: "proxy",
        orgId: ORG,
        url,
        isDefault: true,
        editable: false,
        jsonData: { httpMethod: "POST", timeInterval: "15s" },
      },
    ],
  });

/** Returns files for machines without the provider. @param receiver name of the contact point */
export const contentFiles = (content: GrafanaContent, receiver: string): ProvisioningFile[] => [
  yaml(PROVIDERS, { providers: content.dashboards.map(({ uid = "" }) => provider(uid)) }),
  ...content.dashboards.map((dashboard) => ({
    path: dashboardPath(dashboard.uid ?? ""),
    content: `${JSON.stringify(dashboard, null, 1)}\n`,
  })),
  yaml(RULES, {
    // Without this, Grafana keeps a rule that is missing in the file.
    deleteRules: absentRules(content).map((uid) => ({ orgId: ORG, uid })),
    groups: content.rules.map(({ group, rules }) => ({
      orgId: ORG,
      name: group,
      folder: FOLDER_TITLE,
      interval: `${EVALUATION_SECONDS}s`,
      rules: rules.map(fileRule),
    })),
  }),
  yaml(POLICIES, {
    policies: [
      {
        orgId: ORG,
        receiver,
        group_by: policy.groupBies,
        group_wait: policy.groupWait,
        group_interval: policy.groupInterval,
        repeat_interval: policy.repeatInterval,
      },
    ],
  }),
];

export const contactPointFile = ({ name, url }: ContactPoint): ProvisioningFile =>
  yaml(CONTACT_POINTS, {
    contactPoints: [
      {
        orgId: ORG,
        name,
        receivers: [
          {
            uid: "eps-contact-point",
            type: "webhook",
            settings: { url, httpMethod: "POST" },
          },
        ],
      },
    ],
  });

/** Returns empty files, because the volume keeps earlier files. */
export const noContentFiles = (): ProvisioningFile[] =>
  [PROVIDERS, RULES, CONTACT_POINTS, POLICIES].map((path) => yaml(path, {}));

/** Returns the path; a folder per dashboard lets Grafana delete a dashboard without provider. */
export const dashboardPath = (uid: string): string => `dashboards/${uid}/${uid}.json`;

const provider = (uid: string) => ({
  name: uid,
  orgId: ORG,
  folder: FOLDER_TITLE,
  folderUid: FOLDER_UID,
  type: "file",
  disableDeletion: false,
  allowUiUpdates: false,
  updateIntervalSeconds: 30,
  options: { path: `${PROVISIONING}/${dirname(dashboardPath(uid))}` },
});

function absentRules({ rules }: GrafanaContent): string[] {
  const present = new Set(rules.flatMap((group) => group.rules).map(({ uid }) => uid));
  return alertRules.map(uidOf).filter((uid) => !present.has(uid));
}

const fileRule = ({ folderUID: _folder, ruleGroup: _group, orgID: _org, ...rule }: Rule) => rule;
