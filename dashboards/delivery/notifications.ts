export interface ContactPoint {
  readonly name: string;
  readonly url: string;
}

export const policy = {
  groupBies: ["grafana_folder", "alertname"],
  groupWait: "10s",
  groupInterval: "1m",
  repeatInterval: "4h",
} as const;
