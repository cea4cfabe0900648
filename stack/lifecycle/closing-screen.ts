import type { Page } from "../../components/shared/page.ts";
import { localConfig } from "./local-config.ts";
import { readPages } from "./outputs.ts";
import { renderPages } from "./show.ts";

export async function lastScreen(stack: string): Promise<string> {
  const pages = await readPages(stack);
  const { mode, generator } = localConfig(stack);
  const isFed = mode === "live" && generator?.enabled;
  const prove = `make prove STACK=${stack} checks that no event was lost.`;
  const next = `Next: make generator-up STACK=${stack}, make transform STACK=${stack}, make prove STACK=${stack}.`;
  return [
    renderPages(stack, pages),
    "",
    ...(isFed ? firstLooks(pages) : []),
    isFed ? prove : next,
    `Stop: make down STACK=${stack} (keeps the data); make clean STACK=${stack} (removes everything).`,
  ].join("\n");
}

function firstLooks(pages: readonly Page[]): string[] {
  const looks = pages.flatMap(({ first }) => (first ? [`${first.url}  ${first.shows}`] : []));
  return looks.length > 0 ? ["Look first at:", ...looks.map((line) => `  ${line}`), ""] : [];
}
