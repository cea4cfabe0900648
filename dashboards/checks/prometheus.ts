import { askJson } from "./http.ts";

interface Answer<T> {
  readonly data: T;
}

interface Target {
  readonly labels: Readonly<Record<string, string>>;
  readonly scrapeUrl: string;
  readonly health: "up" | "down" | "unknown";
  readonly lastError: string;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  /** Time in Unix seconds, value as text. */
  readonly value: readonly [number, string];
}

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: "pending" | "firing";
}

/** Lists the targets. @throws UserError if Prometheus does not answer */
export async function targetsOf(url: string): Promise<readonly Target[]> {
  const { data } = await askJson<Answer<{ activeTargets: Target[] }>>(
    `${url}/api/v1/targets?state=active`,
  );
  return data.activeTargets;
}

export async function query(url: string, expr: string): Promise<readonly Sample[]> {
  const { data } = await askJson<Answer<{ result: Sample[] }>>(
    `${url}/api/v1/query?${new URLSearchParams({ query: expr })}`,
  );
  return data.result;
}

export async function activeAlerts(url: string): Promise<readonly Alert[]> {
  const { data } = await askJson<Answer<{ alerts: Alert[] }>>(`${url}/api/v1/alerts`);
  return data.alerts;
}

export async function ruleNames(url: string): Promise<readonly string[]> {
  const { data } = await askJson<Answer<{ groups: { rules: { name: string }[] }[] }>>(
    `${url}/api/v1/rules?type=alert`,
  );
  return data.groups.flatMap(({ rules }) => rules.map(({ name }) => name));
}
