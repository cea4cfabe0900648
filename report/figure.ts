import { type Draw, renderSvg, type Size } from "./charts/render.ts";
import { type Content, type Html, html, trusted } from "./html.ts";

export interface Figure {
  /** What the data say. */
  readonly finding: string;
  /** What is drawn. */
  readonly subject: string;
  readonly description: string;
  readonly draw: Draw;
  /** Width: `full` is that of the page, `half` that of one of two columns. */
  readonly span: "full" | "half";
  readonly height: number;
  readonly table?: Html;
  readonly note?: Content;
}

const WIDTHS = { full: 1040, half: 500, phone: 340 } as const;

/** Draws a figure once for wide and once for narrow screens. */
export function figure({
  finding,
  subject,
  description,
  draw,
  span,
  height,
  table,
  note,
}: Figure): Html {
  const drawingOf = (kind: "wide" | "narrow", size: Size): Html =>
    html`<div class="${kind}" role="img" aria-label="${description}">${trusted(renderSvg(draw, size))}</div>`;
  return html`<figure class="card ${span}">
<figcaption>${finding}<small>${subject}</small></figcaption>
${drawingOf("wide", { width: WIDTHS[span], height })}
${drawingOf("narrow", { width: WIDTHS.phone, height: span === "full" ? Math.min(height, 220) : height })}
${note && html`<p class="note">${note}</p>`}
${table && html`<details class="figures"><summary>Figures<span class="hidden"> of: ${subject}</span></summary>${table}</details>`}
</figure>`;
}
