import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Html, html, trusted } from "./html.ts";

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

export interface Page {
  readonly title: string;
  readonly header: Html;
  readonly sections: readonly Section[];
}

/** Policy that forbids loading and scripts, whatever the data contain. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function renderPage({ title, header, sections }: Page): string {
  const css = readFileSync(join(import.meta.dirname, "style.css"), "utf8");
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
${trusted(css)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>${header}
<nav aria-label="Sections">${sections.map(({ id, title: name }) => html`<a href="#${id}">${name}</a>`)}</nav>
</header>
<main id="content">
${sections.map(
  ({ id, title: name, body }) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${name}</h2>
${body}
</section>
`,
)}</main>
</body>
</html>
`.text;
}
