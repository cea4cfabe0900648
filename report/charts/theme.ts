/** Colours as CSS variables, copied into the SVG, for light and dark mode. */
export const colours = {
  ink: "var(--ink)",
  muted: "var(--muted)",
  grid: "var(--grid)",
  main: "var(--main)",
  mainSoft: "var(--main-soft)",
  model: "var(--model)",
  bad: "var(--bad)",
} as const;

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

export const text = (size = 12) => ({ color: colours.muted, fontSize: size, fontFamily: FONT });

export const valueAxis = (overrides: object = {}) => ({
  type: "value",
  axisLine: { show: false },
  axisTick: { show: false },
  axisLabel: { ...text(), formatter: shortNumber },
  splitLine: { lineStyle: { color: colours.grid, width: 1 } },
  splitNumber: 4,
  ...overrides,
});

export const categoryAxis = (data: readonly string[], overrides: object = {}) => ({
  type: "category",
  data: [...data],
  axisLine: { lineStyle: { color: colours.grid } },
  axisTick: { show: false },
  axisLabel: text(),
  ...overrides,
});

/** Axis of the labels of rows, from the top. */
export const rowAxis = (labels: readonly string[], width: number) =>
  categoryAxis(labels, {
    inverse: true,
    axisLine: { show: false },
    axisLabel: { ...text(), color: colours.ink, width, overflow: "truncate" },
  });

export const legend = (names: readonly string[]) => ({
  data: [...names],
  top: 0,
  left: 0,
  icon: "roundRect",
  itemWidth: 14,
  itemHeight: 6,
  itemGap: 16,
  textStyle: text(),
  // Without these settings the library draws invisible boxes.
  backgroundColor: "none",
  borderColor: "none",
  selectedMode: false,
});

/** Formats a number: `950`, `1.2k`, `3.4M`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return `${trim(value / 1e6)}M`;
  return size >= 1000 ? `${trim(value / 1000)}k` : trim(value);
}

const trim = (value: number): string => String(Number(value.toFixed(size(value))));
const size = (value: number): number => (Math.abs(value) < 10 ? 1 : 0);
