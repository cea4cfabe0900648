import { localConfig } from "./local-config.ts";
import { readPages, type ServicePage } from "./outputs.ts";
import { renderPages } from "./show.ts";
import { shownFile } from "./stack-file.ts";

export async function lastScreen(stack: string): Promise<string> {
  const pages = await readPages(stack);
  const { mode, generator } = localConfig(stack);
  return [
    renderPages(stack, pages),
    "",
    ...(mode === "live" ? firstLooks(pages) : []),
    ...(mode === "bare" ? [keptMode(stack)] : []),
    next(stack, pages, { isLive: mode === "live", isEnabled: generator?.enabled ?? false }),
    `Stop: make down STACK=${stack} (keeps the data); make clean STACK=${stack} (removes everything).`,
  ].join("\n");
}

function firstLooks(pages: readonly ServicePage[]): string[] {
  const looks = pages.flatMap(({ first }) => (first ? [`${first.url}  ${first.shows}`] : []));
  return looks.length > 0 ? ["Look first at:", ...looks.map((line) => `  ${line}`), ""] : [];
}

const keptMode = (stack: string): string =>
  `Mode bare (in ${shownFile(stack)}); make up STACK=${stack} UP=live changes it.`;

function next(
  stack: string,
  pages: readonly ServicePage[],
  { isLive, isEnabled }: { readonly isLive: boolean; readonly isEnabled: boolean },
): string {
  const has = (name: string): boolean => pages.some(({ service }) => service === name);
  const load = `make transform STACK=${stack}`;
  const isFed = has("generator") && isEnabled;
  if (isLive && isFed) {
    const loads = has("airflow") ? "Airflow loads new events" : `${load} loads new events`;
    return `${loads}. make prove STACK=${stack} checks that no event was lost.`;
  }
  if (isLive && has("generator")) {
    return `The generator is in standby. Next: make generator-up STACK=${stack}.`;
  }
  const generated = has("generator") ? `make generator-up STACK=${stack} or ` : "";
  const data = isFed ? "" : `${generated}make data STACK=${stack} on an empty stack, `;
  return `Next: ${data}${load}, then make prove STACK=${stack}.`;
}
