import Bowser from "bowser";
import { isbot } from "isbot";
import type { ServerDatabase } from "../database/http.ts";
import { escapeTsv } from "../database/tsv.ts";

const DEVICES: Readonly<Record<string, string>> = {
  desktop: "Computer",
  mobile: "Mobile",
  tablet: "Tablet",
  tv: "TV",
  bot: "Bot",
};

/** Stores what each user agent says (libraries bowser and isbot) in the table `agent`. */
export async function storeAgents(db: ServerDatabase): Promise<void> {
  const found = await db.rows<{ user_agent: string }>(
    `SELECT DISTINCT user_agent FROM event
     WHERE user_agent != '' AND user_agent NOT IN (SELECT user_agent FROM agent)`,
  );
  await db.insertTsv(
    "agent",
    ["user_agent", "browser", "system", "system_version", "device"],
    found.map(({ user_agent: text }) =>
      Buffer.from(`${[text, ...partsOf(text)].map(escapeTsv).join("\t")}\n`),
    ),
  );
}

/** Returns browser, system, its version, and device; a bot's name is its browser. */
function partsOf(text: string): string[] {
  const { browser, os, platform } = Bowser.parse(text);
  const device = isbot(text) ? "Bot" : (DEVICES[platform.type ?? ""] ?? "");
  return [browser.name ?? "", os.name ?? "", os.versionName ?? os.version ?? "", device];
}
