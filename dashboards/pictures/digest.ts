import { createHash } from "node:crypto";
import { type Dashboard, layout, type Panel } from "../dashboard.ts";
import { drawDashboard } from "./html.ts";
import type { Series } from "./series.ts";
import { readStyle } from "./write.ts";

export const PICTURE_DIGESTS = "dashboards.json";

/** Serial number that the chart library adds to the names in each drawing. */
const SERIAL = /\bzr\d+-(?:cls-)?c?\d*/g;

export const pictureDigests = (
  dashboards: readonly Dashboard[],
  settings: object,
  style = readStyle(),
): Record<string, string> =>
  Object.fromEntries(
    dashboards.map((dashboard) => [dashboard.uid, pictureDigest(dashboard, settings, style)]),
  );

/** Returns a digest without values; a difference means an outdated picture. */
function pictureDigest(dashboard: Dashboard, settings: object, style: string): string {
  const panels = layout(dashboard).flatMap((row) => row.panels.map(({ panel }) => panel));
  const asked = panels.map(({ bound, words, signals }) => ({
    ...{ bound, words },
    signals: signals.map(({ expr, legend, unit }) => ({ expr, legend, unit })),
  }));
  const drawing = drawDashboard(
    dashboard,
    new Map(panels.map((panel) => [panel, sampleOf(panel)])),
    style,
  );
  return createHash("sha256")
    .update(JSON.stringify({ settings, asked, drawing: drawing.replace(SERIAL, "zr") }))
    .digest("hex")
    .slice(0, 16);
}

/** Returns three constant series, so that the digest depends only on the drawing. */
const sampleOf = ({ signals }: Panel): Series[] =>
  [0, 1, 2].map((index) => ({
    name: signals[index % signals.length]?.legend ?? "",
    points: [0, 5, 10].map((time): [number, number] => [time, time * (index + 1)]),
    isOver: index === 2,
  }));
