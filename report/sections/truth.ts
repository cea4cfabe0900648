import type { Dimension } from "../../contract/truth.ts";
import { type Comparison, isDifference, isMoney } from "../../warehouse/history/truth.ts";
import { drawIntervals, intervalsHeight } from "../charts/intervals.ts";
import { figure } from "../figure.ts";
import { clearDifference } from "../findings.ts";
import { amount, percent, whole } from "../format.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";
import { table } from "../table.ts";

/** Dimensions of the drawn effects. */
const FIGURES = ["variant", "device", "medium", "campaign"] as const satisfies Dimension[];

/** @param comparisons the published effects beside their estimates from the marts */
export function truthSection(comparisons: readonly Comparison[]): Section {
  const inside = comparisons.filter(({ verdict }) => verdict === "inside").length;
  const body = html`<p class="lead">The generator knows what is true about these sessions: it published
${whole(comparisons.length)} expected values with the data. ${whole(inside)} of the 95 % intervals that follow from the marts
contain the ground truth; that one of twenty does not is expected.</p>
<div class="grid">
${FIGURES.flatMap((dimension) => effectFigure(comparisons, dimension))}
<div class="card full figures"><h3>All effects</h3>${allEffects(comparisons)}</div>
</div>`;
  return { id: "truth", title: "What is true here", body };
}

function effectFigure(all: readonly Comparison[], dimension: Dimension): Html[] {
  const rows = all
    .filter(
      (row) =>
        row.effect === `first sessions with a purchase, by ${dimension}` && !isDifference(row),
    )
    .map(({ segment, ...row }) => ({ label: segment, ...row }));
  if (rows.length === 0) return [];
  const drawn = figure({
    finding: clearDifference(dimension, rows),
    subject: `Share of first sessions with a purchase, by ${dimension}`,
    description: `Intervals of ${rows.map((row) => `${row.label} ${percent(row.low)} to ${percent(row.high)}, truth ${percent(row.truth)}`).join("; ")}.`,
    draw: drawIntervals(rows),
    span: "half",
    height: intervalsHeight(rows),
  });
  return [drawn];
}

const allEffects = (rows: readonly Comparison[]): Html =>
  table(
    "All effects",
    ["effect", "segment", "truth", "estimate", "from", "to", "sessions", "truth is"],
    rows.map((row) => {
      const values = [row.truth, row.estimate, row.low, row.high];
      const format = isMoney(row) ? amount : percent;
      return [row.effect, row.segment, ...values.map(format), row.sessions, row.verdict];
    }),
  );
