export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | null | undefined | false | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that XML and HTML forbid even when escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for these
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Escapes text between tags and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replace(FORBIDDEN, "\ufffd")
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

/** Builds HTML. Escapes contents unless they are `Html`; null, undefined and false become empty. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(parts.reduce((text, part, index) => text + toText(contents[index - 1]) + part));
}

export const trusted = (text: string): Html => new Html(text);

function toText(content: Content): string {
  if (content === null || content === undefined || content === false) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(toText).join("");
  return escapeHtml(String(content));
}
