import { callable } from "../../contract/command-call.ts";
import { clockIn } from "../../contract/time.ts";
import type { Analytics, Totals } from "../../warehouse/history/analytics.ts";
import type { HistoryModel } from "../../warehouse/history/model.ts";
import { accountText } from "../../warehouse/reconciliation/imports.ts";
import type { Reconciliation } from "../../warehouse/reconciliation/reconciliation.ts";
import type { Source } from "../../warehouse/sources/source.ts";
import { amount, durationText, minuteText, percent, whole } from "../format.ts";
import { type Content, type Html, html } from "../html.ts";
import { facts } from "../table.ts";

/** What the report is about. */
export interface Subject {
  /** All sources whose messages the marts count. */
  readonly sources: readonly Source[];
  /** Model of generated data; undefined for others. */
  readonly model: HistoryModel | undefined;
  /** Site that is counted alone. */
  readonly site?: string | undefined;
}

/** Names the data: the scenario, the datasets, or nothing but generated sessions. */
export function nameOf({ sources, model, site }: Subject): string {
  if (model) return model.config.scenario ? `scenario ${model.config.scenario.name}` : "generated";
  const names = sources.map(({ name, imported }) => imported?.name ?? name).join(", ");
  return `${names || "sessions"}${site === undefined ? "" : `, site ${site}`}`;
}

export function headline(
  subject: Subject,
  { interval, timezone, totals }: Analytics,
  reconciliation: Reconciliation,
): Html {
  const { sources, model } = subject;
  const [from, to] = [interval.from, interval.to].map((at) => minuteText(clockIn(timezone)(at)));
  const length = durationText(interval.to - interval.from);
  const what = model && !model.config.scenario ? "generated sessions" : nameOf(subject);
  return html`<p class="eyebrow">Event pipeline · report</p>
<h1>${length} of ${what}</h1>
${facts([
  [`${model ? "Model time" : "Time"} (${timezone})`, `${from} to ${to}`],
  ...sources.flatMap(({ manifest, imported }) => [
    ...(imported ? [[imported.name, accountText(imported)] as const] : []),
    ...(manifest && model ? [["Seed", html`<code>${manifest.seed}</code>`] as const] : []),
  ]),
])}
${model && artificial(model)}
<ul class="numbers">
${totalNumbers(totals)}
${unaccounted(reconciliation)}
</ul>`;
}

/** Lists the artifacts of the simulation, so that nobody reports them as findings. */
function artificial({ config: { behaviour, scenario } }: HistoryModel): Html {
  const visitors =
    behaviour === "plain"
      ? "all visitors behave alike"
      : "visitors differ by invented factors, larger than on most sites";
  return html`<p class="note lead"><strong>A program made these sessions.</strong> These are artifacts, not findings: the intensity changes in steps at 00, 06, 09 and 19 h, by one clock for all countries; the population begins empty, so at first all visitors are new; there are six pages; defects occur at constant rates; ${visitors}.</p>
${scenario && html`<p class="note lead">${scenario.title}: ${scenario.about} This report leaves out the model and the ground truth, which would give the answer away. <code>${callable(`pipeline scenario ${scenario.name} --answers`)}</code> prints it.</p>`}`;
}

const totalNumbers = (totals: Totals): Html[] => [
  number(
    whole(totals.page_events),
    "page events",
    `${(totals.page_events / totals.sessions).toFixed(1)} per session`,
  ),
  number(
    whole(totals.sessions),
    "sessions",
    `${percent(totals.purchase_sessions / totals.sessions)} with a purchase`,
  ),
  number(
    whole(totals.visitors),
    "visitors",
    `${percent(totals.registered_sessions / totals.sessions)} of sessions registered`,
  ),
  // Data without money have no revenue.
  ...(totals.revenue > 0 || totals.refunds > 0
    ? [number(moneyText(totals.revenue), revenueName(totals), ofRevenue(totals))]
    : []),
];

/** Whole from a thousand on. */
const moneyText = (value: number): string => (value < 1000 ? amount(value) : whole(value));

/** Names the currency, or says that several are added. */
const revenueName = ({ currencies }: Totals): string =>
  currencies.length < 2
    ? ["revenue", ...currencies].join(", ")
    : `revenue: ${currencies.join(" + ")}, added as they are`;

const ofRevenue = ({ revenue, refunds, net_revenue, purchases }: Totals): string =>
  [
    ...(purchases > 0 ? [`${amount(revenue / purchases)} per purchase`] : []),
    ...(refunds > 0 ? [`${whole(net_revenue)} without refunds`] : []),
  ].join(", ");

function unaccounted(reconciliation: Reconciliation): Html {
  const isClean = reconciliation.verdict === "accounted";
  const messages = reconciliation.messages.reduce((sum, line) => sum + line.raw, 0);
  return number(
    whole(reconciliation.unaccounted),
    "unaccounted for",
    isClean ? `of ${whole(messages)} messages` : "see Through the layers",
    isClean ? "good" : "bad",
  );
}

const number = (value: string, name: string, note: Content, tone = "plain"): Html =>
  html`<li class="card number-card ${tone}"><strong>${value}</strong> <span>${name}</span><small>${note}</small></li>
`;
