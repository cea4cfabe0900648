import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Example query; the two comment lines of the file are title and explanation. */
export interface Question {
  readonly title: string;
  readonly about: string;
  readonly sql: string;
}

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8");

export const QUESTIONS: readonly Question[] = readdirSync(join(import.meta.dirname, "questions"))
  .sort()
  .map((file) => {
    const [title = "", about = "", ...sql] = read(`questions/${file}`).trimEnd().split("\n");
    return { title: title.slice(3), about: about.slice(3), sql: sql.join("\n") };
  });

const STYLE = read("style.css");
const SCRIPT = read("script.js");
const PARTS: Readonly<Record<string, string>> = {
  style: STYLE,
  script: SCRIPT,
  // "</script>" would end the element.
  questions: JSON.stringify(QUESTIONS).replaceAll("<", "\\u003c"),
};

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Content security policy: only the page's script, style and address. */
const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const TEMPLATE = read("index.html");
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Returns the page, which names the workspace whose data it queries. */
export function playPage(workspace: string): string {
  const parts = { ...PARTS, policy: POLICY, workspace: escaped(workspace) };
  return TEMPLATE.replace(
    /\{\{(\w+)\}\}/g,
    (_, part: string) => parts[part as keyof typeof parts] ?? "",
  );
}
