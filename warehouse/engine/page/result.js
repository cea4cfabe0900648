import { chartOf, firstColumns, isNumber } from "./chart.js";
import { ROW_LIMIT } from "./clickhouse.js";
import { at, counted, element } from "./dom.js";

/** Largest number of rows in a table. */
export const SHOWN_ROWS = 1000;
const ROLES = ["value", "label", "split"];
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Result on display, the chart's title and columns, and whether it shows both chart and table. */
let shown;
let isChart = false;
/** Frees the chart on display. @type {(() => void) | undefined} */
let dispose;

export function clearResult() {
  shown = undefined;
  dispose?.();
  dispose = undefined;
  at("result").replaceChildren();
  for (const id of ["view", "download", "columns"]) at(id).hidden = true;
}

/**
 * Shows a result as a table, or as a chart if the last one was.
 * @param {import("./clickhouse.js").Result} result
 * @param {import("./tables.js").Entry} [entry] of the side list, if its statement was run
 */
export function showResult(result, entry) {
  // A statement that runs again keeps the chosen columns.
  const columns = shown?.columns ?? firstColumns(result, entry?.chart);
  const isBoth = entry?.every !== undefined;
  shown = { result, columns, title: entry?.title, isBoth };
  at("download").hidden = result.rows === 0;
  at("view").hidden = columns === undefined || isBoth;
  if (columns) for (const role of ROLES) offerColumns(role, result.meta, columns[role]);
  draw();
}

function offerColumns(role, meta, chosen) {
  const options = meta.map(({ name }, index) => new Option(name, String(index)));
  const fitting = role === "value" ? options.filter((_, i) => isNumber(meta[i])) : options;
  const none = role === "split" ? [new Option("nothing", "-1")] : [];
  at(role).replaceChildren(...none, ...fitting);
  at(role).value = chosen;
}

function draw() {
  const hasChart = (isChart || shown?.isBoth) && shown?.columns !== undefined;
  at("columns").hidden = !hasChart;
  at("view").textContent = hasChart ? "Table" : "Chart";
  dispose?.();
  dispose = undefined;
  if (hasChart) drawChart(shown);
  else if (shown) at("result").replaceChildren(tableOf(shown.result));
}

function tableOf({ meta, data }) {
  const numeric = meta.map(isNumber);
  const heads = meta.map(({ name, type }) => element("th", {}, name, element("small", {}, type)));
  const rows = data
    .slice(0, SHOWN_ROWS)
    .map((row) => element("tr", {}, ...row.map((value, i) => cellOf(value, numeric[i]))));
  const head = element("thead", {}, element("tr", {}, ...heads));
  return element("table", {}, head, element("tbody", {}, ...rows));
}

function cellOf(value, isNumeric) {
  if (value === null) return element("td", { className: "null" }, "NULL");
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const title = text.length > 60 ? text : "";
  return element("td", { className: isNumeric ? "number" : "", title }, text);
}

/** Draws the chart, which follows the width and the colours of the page. */
async function drawChart({ result, columns, title, isBoth }) {
  const { options, height, notes } = chartOf(result, columns);
  const [value, label, split] = ROLES.map((role) => result.meta[columns[role]]?.name);
  const subtitle = `${value} by ${label}${split === undefined ? "" : `, split by ${split}`}`;
  if (result.rows >= ROW_LIMIT) notes.push(`first ${counted(result.rows)} rows`);
  const area = element("div");
  area.style.height = `${height}px`;
  const texts = [title ? element("strong", {}, title) : "", [subtitle, ...notes].join("; ")];
  const figure = element("figure", {}, element("figcaption", {}, ...texts), area);
  at("result").replaceChildren(figure, ...(isBoth ? [tableOf(result)] : []));
  // Large, so it is loaded with the first chart.
  const { init } = await import("echarts/dist/echarts.esm.min");
  if (!figure.isConnected) return;
  const chart = init(area, dark.matches ? "dark" : null, { renderer: "svg" });
  chart.setOption(options);
  const size = new ResizeObserver(() => chart.resize());
  size.observe(area);
  dispose = () => {
    size.disconnect();
    chart.dispose();
  };
}

dark.addEventListener("change", draw);
at("view").addEventListener("click", () => {
  isChart = !isChart;
  draw();
});
at("columns").addEventListener("change", () => {
  shown.columns = Object.fromEntries(ROLES.map((role) => [role, Number(at(role).value)]));
  draw();
});
