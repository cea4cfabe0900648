/** Where alerts are sent. */
export interface ContactPoint {
  readonly name: string;
  /** Address that takes a POST with the alert as JSON. */
  readonly url: string;
}

/** How alerts are put together before they are sent; Grafana's own words. */
export const policy = {
  groupBies: ["grafana_folder", "alertname"],
  groupWait: "10s",
  groupInterval: "1m",
  repeatInterval: "4h",
} as const;
