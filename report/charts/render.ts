import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent } from "echarts/components";
import { type EChartsCoreOption, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { escapeHtml } from "../html.ts";

use([BarChart, LineChart, ScatterChart, GridComponent, LegendComponent, SVGRenderer]);

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Options of the library, and a text for each row or column of the grid. */
interface Drawing extends EChartsCoreOption {
  readonly grid: Record<"left" | "right" | "top" | "bottom", number>;
  readonly tips: { readonly of: "rows" | "columns"; readonly texts: readonly string[] };
}

export type Draw = (size: Size) => Drawing;

/** Draws a chart as SVG with CSS variables of the page as colours. */
export function renderSvg(draw: Draw, size: Size): string {
  const { tips, ...option } = draw(size);
  const chart = init(null, null, { renderer: "svg", ssr: true, ...size });
  try {
    chart.setOption({ animation: false, ...option });
    return chart
      .renderToSVGString()
      .replace(/<\/svg>\s*$/, `${targets(option.grid, tips, size)}</svg>`);
  } finally {
    // Without disposal, the chart's timer keeps the process alive.
    chart.dispose();
  }
}

/** Draws an area over each row or column that shows its text under the pointer; scripts are forbidden. */
function targets(grid: Drawing["grid"], { of, texts }: Drawing["tips"], size: Size): string {
  const [left, width] =
    of === "rows" ? [0, size.width] : [grid.left, size.width - grid.left - grid.right];
  const height = size.height - grid.top - grid.bottom;
  const [stepX, stepY] = of === "rows" ? [0, height / texts.length] : [width / texts.length, 0];
  const round = (value: number): number => Math.round(value * 10) / 10;
  return texts
    .map(
      (text, i) =>
        `<rect class="tip" x="${round(left + i * stepX)}" y="${round(grid.top + i * stepY)}" width="${round(stepX || width)}" height="${round(stepY || height)}"><title>${escapeHtml(text)}</title></rect>`,
    )
    .join("");
}
