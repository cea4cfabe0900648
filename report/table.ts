import { whole } from "./format.ts";
import { type Content, Html, html } from "./html.ts";

export type Cell = Html | string | number | null;

/** Renders a table that scrolls sideways, also by keyboard. */
export function table(
  label: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${head.map((name, column) => html`<th scope="col"${numeric(rows, column)}>${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${row.map(cell)}</tr>
`,
  )}</tbody>
</table></div>`;
}

export const facts = (entries: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${entries.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`,
  )}</dl>`;

const cell = (value: Cell): Html =>
  isNumeric(value)
    ? html`<td class="number">${typeof value === "number" ? whole(value) : value}</td>`
    : html`<td>${value}</td>`;

/** A quantity with its unit, such as `12.3 %`, or the dash of an unknown share. */
const QUANTITY = /^-?[\d.,]+ (?:%|s|min \d+ s)$|^-?\d+\.\d{2}$|^–$/;

const isNumeric = (value: Cell | undefined): boolean =>
  typeof value === "number" || (typeof value === "string" && QUANTITY.test(value));

const numeric = (rows: readonly (readonly Cell[])[], column: number): Html =>
  rows.some((row) => isNumeric(row[column])) &&
  rows.every((row) => row[column] === "" || isNumeric(row[column]))
    ? html` class="number"`
    : new Html("");
