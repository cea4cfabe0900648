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
const AT_ONCE = 10_000;

/** Stores what each user agent says (libraries bowser and isbot) in the table `agent`. */
export async function storeAgents(db: ServerDatabase): Promise<void> {
  const columns = ["user_agent", "browser", "system", "system_version", "device"];
  for (;;) {
    const found = await db.rows<{ user_agent: string }>(
      `SELECT DISTINCT user_agent FROM event
       WHERE user_agent != '' AND user_agent NOT IN (SELECT user_agent FROM agent) LIMIT ${AT_ONCE}`,
    );
    if (found.length === 0) return;
    const rows = found.map(
      ({ user_agent: text }) => `${[text, ...partsOf(text)].map(escapeTsv).join("\t")}\n`,
    );
    await db.insertTsv("agent", columns, [Buffer.from(rows.join(""))]);
  }
}

/** Returns browser, system, its version, and device; a bot's name is its browser. */
function partsOf(text: string): string[] {
  const { browser, os, platform } = Bowser.parse(text);
  const device = isbot(text) ? "Bot" : (DEVICES[platform.type ?? ""] ?? "");
  return [browser.name ?? "", os.name ?? "", os.versionName ?? os.version ?? "", device];
}
