import { BarChart, LineChart } from "echarts/charts";
import { GridComponent, LegendComponent } from "echarts/components";
import { type EChartsCoreOption, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

use([BarChart, LineChart, GridComponent, LegendComponent, SVGRenderer]);

/** Pixels of the drawing; the page scales it to the space there is. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Draw = (size: Size) => EChartsCoreOption;

/** A chart as SVG text: no script, no animation, colours as CSS variables of the page. */
export function renderSvg(draw: Draw, size: Size): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, ...size });
  try {
    chart.setOption({ animation: false, ...draw(size) });
    return chart.renderToSVGString();
  } finally {
    // Not disposed of, a chart keeps a timer, and the timer keeps the process.
    chart.dispose();
  }
}
