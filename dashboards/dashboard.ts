import type { AlertRule } from "./alerts/rule.ts";
import { alertRules } from "./alerts/rules.ts";
import type { Job } from "./promql.ts";
import type { Signal } from "./signal.ts";

export type Bound = AlertRule["fires"];

export interface ValueLabel {
  readonly value: number;
  readonly text: string;
  readonly color: "green" | "blue" | "yellow" | "red";
}

/** Shows one or more signals; `stat` shows the last value, `lines` a time series. */
export interface Panel {
  readonly kind: "stat" | "lines" | "stacked";
  readonly title: string;
  readonly signals: readonly Signal[];
  /** Width in columns of Grafana's 24-column grid; `height` in the grid's rows. */
  readonly width: number;
  readonly height: number;
  /** Default: that of the alert on the only signal. */
  readonly bound?: Bound | undefined;
  readonly words?: readonly ValueLabel[];
  /** Text added to the meanings of the signals. */
  readonly note?: string;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  readonly job: Job;
  readonly rows: readonly Row[];
}

const STAT = { width: 4, height: 4 } as const;
const CHART = { width: 8, height: 7 } as const;

/** Returns the threshold of the alert on a signal. */
export const boundOf = (signal: Signal | undefined): Bound | undefined =>
  alertRules.find((rule) => rule.signal === signal)?.fires;

type Options = Partial<Pick<Panel, "title" | "width" | "height" | "bound" | "words" | "note">>;

export const stat = (signal: Signal, options: Options = {}): Panel => ({
  kind: "stat",
  title: signal.name,
  signals: [signal],
  bound: boundOf(signal),
  ...STAT,
  ...options,
});

export const lines = (title: string, signals: readonly Signal[], options: Options = {}): Panel => ({
  kind: "lines",
  title,
  signals,
  bound: signals.length === 1 ? boundOf(signals[0]) : undefined,
  ...CHART,
  ...options,
});

export const stacked = (
  title: string,
  signals: readonly Signal[],
  options: Options = {},
): Panel => ({
  ...lines(title, signals, options),
  kind: "stacked",
});

export interface PlacedPanel {
  readonly panel: Panel;
  readonly id: number;
  readonly position: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
}

export interface PlacedRow {
  readonly title: string;
  readonly id: number;
  readonly y: number;
  readonly panels: readonly PlacedPanel[];
}

const COLUMNS = 24;

export function layout(dashboard: Dashboard): PlacedRow[] {
  let y = 0;
  let id = 0;
  return dashboard.rows.map(({ title, panels }) => {
    const row = { title, id: ++id, y: y++ };
    let x = 0;
    let lineHeight = 0;
    const placed = panels.map((panel): PlacedPanel => {
      if (x + panel.width > COLUMNS) {
        x = 0;
        y += lineHeight;
        lineHeight = 0;
      }
      const position = { x, y, w: panel.width, h: panel.height };
      x += panel.width;
      lineHeight = Math.max(lineHeight, panel.height);
      return { panel, id: ++id, position };
    });
    y += lineHeight;
    return { ...row, panels: placed };
  });
}
