import { askJson } from "./http.ts";

export interface Grafana {
  readonly url: string;
  readonly password: string;
}

/** What Grafana can read again from its files, in the order in which the parts need each other. */
const RELOADS = ["datasources", "dashboards", "alerting"] as const;

const headers = ({ password }: Grafana): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`admin:${password}`).toString("base64")}`,
});

/** Makes Grafana read its files again. @throws UserError with its own words where one is wrong */
export async function reloadGrafana(grafana: Grafana): Promise<void> {
  for (const part of RELOADS) {
    await askJson(`${grafana.url}/api/admin/provisioning/${part}/reload`, {
      method: "POST",
      headers: headers(grafana),
    });
  }
}

/** Uids of the alert rules Grafana evaluates. */
export async function grafanaRules(grafana: Grafana): Promise<readonly string[]> {
  const rules = await askJson<{ uid: string }[]>(`${grafana.url}/api/v1/provisioning/alert-rules`, {
    headers: headers(grafana),
  });
  return rules.map(({ uid }) => uid);
}
