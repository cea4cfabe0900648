import type { Dimension } from "../../contract/truth.ts";
import { type Comparison, isDifference } from "../../warehouse/history/truth.ts";
import { drawIntervals, intervalsHeight } from "../charts/intervals.ts";
import { figure } from "../figure.ts";
import { percent, whole } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";

/** Dimensions of the drawn effects, with the titles of their figures. */
const FIGURES = {
  variant: "Purchases by variant of the experiment",
  device: "Purchases by device",
  medium: "Purchases by medium",
  campaign: "Purchases by campaign",
} as const satisfies Partial<Record<Dimension, string>>;

/** @param comparisons the published effects beside their estimates from the marts */
export function truthSection(comparisons: readonly Comparison[]): Section {
  const inside = comparisons.filter(({ verdict }) => verdict === "inside").length;
  const body = html`<p class="lead">The generator knows what is true about these sessions: it published
${whole(comparisons.length)} expected values with the data. ${whole(inside)} of the 95 % intervals that follow from the marts
contain the truth; that one of twenty does not is expected.</p>
<div class="grid">
${Object.entries(FIGURES).flatMap(([dimension, title]) => effectFigure(comparisons, dimension as Dimension, title))}
<div class="card full"><h3>All effects</h3>${allEffects(comparisons)}</div>
</div>`;
  return { id: "truth", title: "What is true here", body };
}

/** None if a scenario changes what is true within the history. */
function effectFigure(all: readonly Comparison[], dimension: Dimension, title: string): Html[] {
  const rows = all
    .filter(
      (row) =>
        row.effect === `first sessions with a purchase, by ${dimension}` && !isDifference(row),
    )
    .map(({ segment, ...row }) => ({ label: segment, ...row }));
  if (rows.length === 0) return [];
  const drawn = figure({
    title,
    description: `Intervals of ${rows.map((row) => `${row.label} ${percent(row.low)} to ${percent(row.high)}, truth ${percent(row.truth)}`).join("; ")}.`,
    draw: drawIntervals(rows),
    span: "half",
    height: intervalsHeight(rows),
    note: "Share of the first sessions of visitors.",
  });
  return [drawn];
}

const allEffects = (rows: readonly Comparison[]): Html =>
  html`<details class="figures"><summary>Figures</summary>${table(
    "All effects",
    ["effect", "segment", "truth", "estimate", "from", "to", "sessions", "truth is"],
    rows.map((row) => [
      row.effect,
      row.segment,
      percent(row.truth),
      percent(row.estimate),
      percent(row.low),
      percent(row.high),
      row.sessions,
      row.verdict,
    ]),
  )}</details>`;
