import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent } from "echarts/components";
import { type EChartsCoreOption, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

use([BarChart, LineChart, ScatterChart, GridComponent, LegendComponent, SVGRenderer]);

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Draw = (size: Size) => EChartsCoreOption;

/** Draws a chart as SVG with CSS variables of the page as colours. */
export function renderSvg(draw: Draw, size: Size): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, ...size });
  try {
    chart.setOption({ animation: false, ...draw(size) });
    return chart.renderToSVGString();
  } finally {
    // Without disposal, the chart's timer keeps the process alive.
    chart.dispose();
  }
}
