import { FOLDER_TITLE, FOLDER_UID } from "../uids.ts";
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

/** Creates the folder of dashboards and rules, unless it exists. @throws UserError with Grafana's message */
export async function createFolder(grafana: Grafana): Promise<void> {
  const url = `${grafana.url}/api/folders`;
  const folders = await askJson<{ uid: string }[]>(url, { headers: headers(grafana) });
  if (folders.some(({ uid }) => uid === FOLDER_UID)) return;
  await askJson(url, {
    method: "POST",
    headers: { ...headers(grafana), "content-type": "application/json" },
    body: JSON.stringify({ uid: FOLDER_UID, title: FOLDER_TITLE }),
  });
}

export async function grafanaRules(grafana: Grafana): Promise<readonly string[]> {
  const rules = await askJson<{ uid: string }[]>(`${grafana.url}/api/v1/provisioning/alert-rules`, {
    headers: headers(grafana),
  });
  return rules.map(({ uid }) => uid);
}
