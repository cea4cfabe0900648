import { stringify } from "yaml";
import { DATASOURCE_UID } from "../uids.ts";

export const PROVISIONING = "/etc/grafana/provisioning";

export interface ProvisioningFile {
  readonly path: string;
  readonly content: string;
}

/** Returns Grafana's files: the data source, to whose fixed uid all other content refers, and nothing else. */
export const provisioningFiles = (url: string): ProvisioningFile[] => [
  yaml("datasources/prometheus.yaml", {
    datasources: [
      {
        name: "Prometheus",
        uid: DATASOURCE_UID,
        type: "prometheus",
        access: "proxy",
        orgId: 1,
        url,
        isDefault: true,
        editable: false,
        jsonData: { httpMethod: "POST", timeInterval: "15s" },
      },
    ],
  }),
  // Without a folder of its own, each part's reload endpoint complains.
  yaml("dashboards/none.yaml", {}),
  yaml("alerting/none.yaml", {}),
];

const yaml = (path: string, content: object): ProvisioningFile => ({
  path,
  content: stringify({ apiVersion: 1, ...content }),
});
