import { callable } from "../../contract/command-call.ts";
import { commandOn, type Place } from "../../warehouse/database/command.ts";
import { type Html, html } from "../html.ts";
import type { Section } from "../page.ts";

/** @param checksum of the manifest; undefined without one */
export function nextSection(clickId: string, place: Place, checksum: string | undefined): Section {
  const call = (command: string, onStack?: string) => callable(commandOn(place, command, onStack));
  const follow = `follow --click ${clickId}`;
  const commands: readonly (readonly [string, string])[] = [
    [call("serve", "make play"), "SQL console for this data in the browser"],
    [call(follow, `pipeline stack run -- ${follow}`), "the session above, in the terminal"],
    [call("prove"), "reconciliation of every message from source to mart"],
  ];
  const body = html`<dl class="commands">${commands.map(line)}</dl>
${checksum !== undefined && html`<p class="note">Manifest checksum <code class="long">${checksum}</code></p>`}`;
  return { id: "next", title: "Next steps", body };
}

const line = ([command, about]: readonly [string, string]): Html =>
  html`<div><dt><code>${callable(command)}</code></dt><dd>${about}</dd></div>
`;
