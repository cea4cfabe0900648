import { callable, quote } from "../../contract/command-call.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";

export function nextSection(clickId: string, database: string | undefined): Section {
  const where = database === undefined ? "" : ` --database ${quote(database)}`;
  const commands: readonly (readonly [string, string])[] = [
    ["pipeline serve", "SQL console for this data in the browser"],
    [`pipeline follow${where} --click ${clickId}`, "the session above, in the terminal"],
    [`pipeline prove${where}`, "reconciliation of every message from source to mart"],
    [
      `pipeline history-analytics${where}`,
      "visitors, page events by hour of the day, funnel and retention",
    ],
    ["pipeline demo --days 30 --seed 2 --rate 60", "another, longer and busier history"],
  ];
  const body = html`<dl class="commands">${commands.map(line)}</dl>`;
  return { id: "next", title: "Next steps", body };
}

const line = ([command, about]: readonly [string, string]): Html =>
  html`<div><dt><code>${callable(command)}</code></dt><dd>${about}</dd></div>
`;
