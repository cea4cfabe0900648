/** Pages with the trackers of npm packages, set up as docs/how-to/collect-your-own-site.md says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serveHttp } from "../../support/http.ts";
import { blocksOf, ROOT } from "../../support/page-blocks.ts";

export const DOCS = readFileSync(join(ROOT, "docs/how-to/collect-your-own-site.md"), "utf8");

interface Program {
  readonly url: string;
  /** Name in `globalThis` of a program that is no module. */
  readonly global?: string;
}

/** Programs of the packages as npm gives them. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  "@snowplow/browser-tracker": {
    url: import.meta.resolve("@snowplow/browser-tracker/dist/index.umd.min.js"),
    global: "snowplowBrowserTracking",
  },
  "@segment/analytics-next": {
    url: import.meta.resolve("@segment/analytics-next/dist/umd/index.js"),
    global: "AnalyticsNext",
  },
  "posthog-js": { url: import.meta.resolve("posthog-js/dist/module.mjs") },
  "@plausible-analytics/tracker": { url: import.meta.resolve("@plausible-analytics/tracker") },
};

/** A tracker's heading in the docs, and how its page sends a click with a number. */
export const TRACKERS = {
  page: { heading: "The snippet", click: 'track("click", { n })' },
  snowplow: {
    heading: "Snowplow",
    click: 'trackStructEvent({ category: "shop", action: "click", label: n })',
  },
  segment: { heading: "Segment", click: 'analytics.track("click", { n })' },
  posthog: { heading: "PostHog", click: 'posthog.capture("click", { n })' },
  plausible: { heading: "Plausible", click: 'track("click", { props: { n } })' },
} as const;
export type Tracker = keyof typeof TRACKERS;

/** Serves a page per tracker, such as /snowplow, until the end of the test. @returns its address */
export const serveSite = (collector: number): Promise<string> =>
  serveHttp((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const program = PROGRAMS[path];
    response.setHeader("Content-Type", program ? "text/javascript" : "text/html");
    if (program) response.end(readFileSync(new URL(program.url)));
    else if (path in TRACKERS) response.end(pageOf(path as Tracker, collector));
    else response.writeHead(404).end();
  });

function pageOf(tracker: Tracker, collector: number): string {
  const { heading, click } = TRACKERS[tracker];
  const setUp = blocksOf(DOCS.split(`### ${heading}\n`)[1] ?? "")[0]?.code ?? "";
  const code = setUp.replaceAll("9135", `${collector}`);
  const [, names = "", name = ""] = /^import (.*) from "(.*)";$/m.exec(code) ?? [];
  const calls = `document.querySelector("button").onclick = ({ target: { dataset: { n } } }) => {
      ${click};
    };
    document.body.dataset.ready = "";`;
  return `<!doctype html><title>Shop</title><body><button>Click</button>
    ${name === "" ? code : scriptsOf(name, names)}
    <script type="module">${name === "" ? "" : code}
    ${tracker === "segment" ? "await analytics.ready();" : ""}
    ${calls}</script>`;
}

/** Returns what lets a page import the names of a package. */
function scriptsOf(name: string, names: string): string {
  const path = `/${encodeURIComponent(name)}`;
  const global = PROGRAMS[name]?.global;
  const module = global
    ? `data:text/javascript,export const ${names} = globalThis.${global}`
    : path;
  return `${global ? `<script src="${path}"></script>` : ""}
    <script type="importmap">${JSON.stringify({ imports: { [name]: module } })}</script>`;
}
