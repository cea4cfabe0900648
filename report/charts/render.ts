import { BarChart, LineChart } from "echarts/charts";
import { GridComponent, LegendComponent } from "echarts/components";
import { type EChartsCoreOption, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

use([BarChart, LineChart, GridComponent, LegendComponent, SVGRenderer]);

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Draw = (size: Size) => EChartsCoreOption;

/** Colours are CSS variables of the page. */
export function renderSvg(draw: Draw, size: Size): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, ...size });
  try {
    chart.setOption({ animation: false, ...draw(size) });
    return chart.renderToSVGString();
  } finally {
    // A chart that is not disposed of keeps a timer, which keeps the process alive.
    chart.dispose();
  }
}
