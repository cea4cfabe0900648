import { stringify } from "yaml";
import { DATASOURCE_UID } from "../../dashboards/uids.ts";

const FOLDER = "/etc/grafana/provisioning";

/** Returns Grafana's files: the data source, to whose fixed uid all other content refers, and nothing else. */
export const provisioningFiles = (prometheusUrl: string): Record<string, string> => ({
  [`${FOLDER}/datasources/prometheus.yaml`]: yaml({
    datasources: [
      {
        name: "Prometheus",
        uid: DATASOURCE_UID,
        type: "prometheus",
        access: "proxy",
        orgId: 1,
        url: prometheusUrl,
        isDefault: true,
        editable: false,
        jsonData: { httpMethod: "POST", timeInterval: "15s" },
      },
    ],
  }),
  // Without a folder of its own, each part's reload endpoint complains.
  [`${FOLDER}/dashboards/none.yaml`]: yaml({}),
  [`${FOLDER}/alerting/none.yaml`]: yaml({}),
});

const yaml = (content: object): string => stringify({ apiVersion: 1, ...content });
