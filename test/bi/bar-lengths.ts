import type { Locator } from "playwright-core";

/** The parts of a browser's canvas that this file reads; the project has no browser types. */
interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: "2d"): {
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8Array };
  };
}

/** Lengths in pixels of a chart's horizontal bars, from the top. */
export const barLengths = (canvas: Locator): Promise<number[]> =>
  canvas.evaluate((element) => {
    const canvas = element as unknown as Canvas;
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    // Bars are coloured, texts and lines are grey.
    const isColoured = (x: number, y: number): boolean => {
      const from = (y * width + x) * 4;
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(from, from + 4);
      return alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 40;
    };
    const lines = Array.from({ length: height }, (_, y) => {
      let first = -1;
      let last = -1;
      for (let x = 0; x < width; x += 1) {
        if (!isColoured(x, y)) continue;
        if (first < 0) first = x;
        last = x;
      }
      return { first, length: first < 0 ? 0 : last - first + 1 };
    });
    const starts = lines.filter(({ first }) => first >= 0).map(({ first }) => first);
    const axis = starts.sort((a, b) => a - b)[Math.floor(starts.length / 2)] ?? -1;
    // The longest line of a bar is its length; the legend does not start at the axis.
    const bars: number[] = [];
    let current = 0;
    for (const { first, length } of [...lines, { first: -1, length: 0 }]) {
      const isBar = first >= 0 && Math.abs(first - axis) <= 2;
      if (isBar) current = Math.max(current, length);
      else if (current > 0) {
        bars.push(current);
        current = 0;
      }
    }
    return bars;
  });
