import { DAY, HOUR } from "../../contract/time.ts";
import type { ProfileHour, WavePoint } from "../../warehouse/history/wave.ts";
import { dayText, hourText, minuteText, whole, withoutYear } from "../format.ts";
import type { Draw } from "./render.ts";
import { categoryAxis, colours, legend, text, valueAxis } from "./theme.ts";

const OBSERVED = "Observed";
const MODEL = "Model: base × coefficient";

/** Number of latest hours to draw; more would be unreadable. */
export const WAVE_HOURS = 14 * 24;

export function drawWave(points: readonly WavePoint[], timezone: string): Draw {
  const shown = points.slice(-WAVE_HOURS);
  const labels = shown.map(({ shown: at }) =>
    at % DAY === 0 ? withoutYear(dayText(at)) : minuteText(at).slice(11),
  );
  return ({ width }) => ({
    grid: { left: 44, right: 12, top: 34, bottom: 28 },
    tips: {
      of: "columns",
      texts: shown.map(
        (point) =>
          `${dayText(point.shown)}, ${minuteText(point.shown).slice(11)} (${timezone}): ${counts(point)}`,
      ),
    },
    legend: legend(namesOf(shown)),
    xAxis: categoryAxis(labels, {
      boundaryGap: false,
      axisLabel: {
        ...text(),
        interval: (index: number) => isLabelled(shown, index, width),
      },
    }),
    yAxis: valueAxis(),
    series: [
      {
        name: OBSERVED,
        type: "line",
        silent: true,
        data: shown.map((point) => point.observed),
        showSymbol: false,
        lineStyle: { color: colours.main, width: 1.5 },
        itemStyle: { color: colours.main },
        areaStyle: { color: colours.mainSoft, opacity: 1 },
      },
      ...modelLine(shown),
    ],
  });
}

export function drawProfile(hours: readonly ProfileHour[]): Draw {
  return ({ width }) => ({
    grid: { left: 44, right: 8, top: 34, bottom: 28 },
    tips: { of: "columns", texts: hours.map((one) => `${hourText(one.hour)}: ${counts(one)}`) },
    legend: legend(namesOf(hours)),
    xAxis: categoryAxis(
      hours.map(({ hour }) => String(hour).padStart(2, "0")),
      { axisLabel: { ...text(), interval: width < 400 ? 3 : 2 } },
    ),
    yAxis: valueAxis(),
    series: [
      {
        name: OBSERVED,
        type: "bar",
        silent: true,
        data: hours.map(({ observed }) => Math.round(observed)),
        itemStyle: { color: colours.main, borderRadius: [2, 2, 0, 0] },
        barCategoryGap: "25%",
      },
      ...modelLine(hours),
    ],
  });
}

type Compared = Pick<WavePoint, "observed" | "expected">;

/** Data that no generator wrote are compared with no model. */
const hasModel = (points: readonly Compared[]): boolean =>
  points.some(({ expected }) => Number.isFinite(expected));

const namesOf = (points: readonly Compared[]): string[] =>
  hasModel(points) ? [OBSERVED, MODEL] : [OBSERVED];

const counts = ({ observed, expected }: Compared): string =>
  `${whole(observed)} page events${Number.isFinite(expected) ? `, model ${whole(expected)}` : ""}`;

/** Returns the series of the model; none without a model. */
const modelLine = (points: readonly Compared[]) =>
  hasModel(points)
    ? [
        {
          name: MODEL,
          type: "line",
          silent: true,
          step: "middle",
          data: points.map(({ expected }) => Math.round(expected)),
          showSymbol: false,
          lineStyle: { color: colours.model, width: 2 },
          itemStyle: { color: colours.model },
        },
      ]
    : [];

/** Maximum number of hours for time labels; a chart of more hours has day labels only. */
const FEW_HOURS = 48;
/** Pixels of a label. */
const LABEL = 60;

function isLabelled(points: readonly WavePoint[], index: number, width: number): boolean {
  const start = points[index]?.shown ?? 0;
  if (points.length <= FEW_HOURS) {
    const hours = (points.length * LABEL) / width;
    return start % (([3, 6, 12].find((step) => step >= hours) ?? 24) * HOUR) === 0;
  }
  const day = Math.floor(start / (24 * HOUR));
  const every = Math.ceil(points.length / 24 / (width / LABEL));
  return start % (24 * HOUR) === 0 && day % every === 0;
}
