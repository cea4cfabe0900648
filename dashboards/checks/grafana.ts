import { askJson } from "./http.ts";

export interface Grafana {
  readonly url: string;
  readonly password: string;
}

/** Provisioning parts that Grafana can reload, in the order of their dependencies. */
const RELOADS = ["datasources", "dashboards", "alerting"] as const;

const headers = ({ password }: Grafana): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`,
});

/** Reloads Grafana's files. @throws UserError with Grafana's message if a file is invalid */
export async function reloadGrafana(grafana: Grafana): Promise<void> {
  for (const part of RELOADS) {
    await askJson(`${grafana.url}/api/admin/provisioning/${part}/reload`, {
      method: "POST",
      headers: headers(grafana),
    });
  }
}

export async function grafanaRules(grafana: Grafana): Promise<readonly string[]> {
  const rules = await askJson<{ uid: string }[]>(`${grafana.url}/api/v1/provisioning/alert-rules`, {
    headers: headers(grafana),
  });
  return rules.map(({ uid }) => uid);
}
