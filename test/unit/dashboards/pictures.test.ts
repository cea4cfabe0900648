import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Dashboard, lines, stat } from "../../../dashboards/dashboard.ts";
import { dashboardsFor } from "../../../dashboards/definitions/all.ts";
import { namedSeries } from "../../../dashboards/pictures/chart.ts";
import { PICTURE_DIGESTS, pictureDigests } from "../../../dashboards/pictures/digest.ts";
import { drawDashboard } from "../../../dashboards/pictures/html.ts";
import { readSeries, type Series } from "../../../dashboards/pictures/series.ts";
import { generator } from "../../../dashboards/signals/generator.ts";
import { PICTURE_SETTINGS } from "../../monitoring/settings.ts";
import { everyJob } from "./content.ts";
import { FakeHttp } from "./fake-http.ts";

const IMAGES = join(import.meta.dirname, "../../../docs/images");
const dashboards = dashboardsFor(everyJob);

describe("the pictures of the docs", () => {
  const drawn = JSON.parse(readFileSync(join(IMAGES, PICTURE_DIGESTS), "utf8"));
  const now = pictureDigests(dashboards, PICTURE_SETTINGS);

  test.each(dashboards.map(({ uid }) => [uid]))(
    "%s.png shows the current dashboard (node scripts/picture-dashboards.ts)",
    (uid) => {
      expect(existsSync(join(IMAGES, `${uid}.png`))).toBe(true);
      expect(drawn[uid]).toBe(now[uid]);
    },
  );

  test("change their fingerprint with a query, a position, the drawing code or the settings", () => {
    const dashboard = (expr: string, width: number): Dashboard => ({
      ...{ uid: "x", title: "X", about: "", job: "generator" },
      rows: [{ title: "R", panels: [stat({ ...generator.events, expr }, { width })] }],
    });
    const digests = [
      pictureDigests([dashboard("a", 4)], {}),
      pictureDigests([dashboard("b", 4)], {}),
      pictureDigests([dashboard("a", 5)], {}),
      pictureDigests([dashboard("a", 4)], {}, "h1 { color: red }"),
      pictureDigests([dashboard("a", 4)], { pace: 1 }),
    ].map(({ x }) => x);
    expect(new Set(digests).size).toBe(digests.length);
    // The fingerprint must not depend on earlier drawings in the same process.
    expect(pictureDigests(dashboards, PICTURE_SETTINGS)).toEqual(now);
  });
});

const series = (name: string, value: number, isOver = false): Series => ({
  name,
  points: [
    [0, value],
    [10, value],
  ],
  isOver,
});

const drawnWith = (kind: "stat" | "lines", allSeries: readonly Series[]): string => {
  const panel = kind === "stat" ? stat(generator.events) : lines("Lines", [generator.events]);
  const dashboard: Dashboard = {
    ...{ uid: "x", title: "X", about: "", job: "generator" },
    rows: [{ title: "R", panels: [panel] }],
  };
  return drawDashboard(dashboard, new Map([[panel, allSeries]]), "");
};

test("each series is named by its labels, and an ended series is marked", async () => {
  const result = [
    {
      metric: { dag_id: "a" },
      values: [
        [0, "1"],
        [10, "2"],
      ],
    },
    { metric: { dag_id: "b" }, values: [[0, "3"]] },
  ];
  const prometheus = await FakeHttp.start(() => ({ body: { data: { result } } }));
  const panel = stat({ ...generator.events, legend: "of {{dag_id}}" });
  const dashboard: Dashboard = {
    ...{ uid: "x", title: "X", about: "", job: "generator" },
    rows: [{ title: "R", panels: [panel] }],
  };
  const byPanel = await readSeries(prometheus.url, dashboard, { from: 0, to: 14, step: 5 });
  await prometheus.close();
  expect(byPanel.get(panel)).toEqual([
    {
      name: "of a",
      points: [
        [0, 1],
        [10, 2],
      ],
      isOver: false,
    },
    { name: "of b", points: [[0, 3]], isOver: true },
  ]);
});

describe("a picture", () => {
  test("shows no last value of an ended series", () => {
    expect(drawnWith("stat", [series("lives", 7), series("died", 9, true)])).toMatch(/<b>7/);
    expect(drawnWith("stat", [series("lives", 7), series("died", 9, true)])).not.toMatch(/<b>9/);
    expect(drawnWith("stat", [series("died", 9, true)])).toContain("No data");
    expect(drawnWith("lines", [series("died", 9, true)])).toContain("<svg");
  });

  test("draws every series, and counts those without a name", () => {
    const many = Array.from({ length: 12 }, (_, index) => series(`series ${index}`, index));
    const named = namedSeries(many, 376);
    expect(named.length).toBeLessThanOrEqual(8);
    // The series with the highest values, in their original order.
    expect(named).toEqual(many.slice(-named.length));
    const text = drawnWith("lines", many);
    expect(text).toContain(`and ${12 - named.length} more, grey`);
    expect(text.match(/<path[^>]*stroke="#b6bdc7"/g)).toHaveLength(12 - named.length);
    expect(drawnWith("lines", many.slice(0, 3))).not.toContain("more, grey");
  });
});
