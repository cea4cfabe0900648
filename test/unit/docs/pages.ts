/** Markdown pages of the project with their links and anchors. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const ROOT = join(import.meta.dirname, "../../..");

/** Paths of all files that git tracks or would add, without deleted ones. */
export const projectFiles = (...patterns: string[]): string[] =>
  spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], {
    cwd: ROOT,
    encoding: "utf8",
  })
    .stdout.split("\n")
    .filter((path) => path && existsSync(join(ROOT, path)));

export const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Text outside code blocks and inline code, which contain neither links nor headings. */
const prose = (text: string): string =>
  text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, (code) => "x".repeat(code.length));

/** GitHub's anchor of a heading. */
const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

export function anchorsOf(text: string): Set<string> {
  const withoutBlocks = text.replaceAll(/^```.*?^```/gms, "");
  const headings = [...withoutBlocks.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = ""]) =>
    slugOf(title),
  );
  const named = [...withoutBlocks.matchAll(/<a id="([^"]+)"/g)].map(([, id = ""]) => id);
  return new Set([...headings, ...named]);
}

export interface Link {
  /** Path from the root of the project. */
  readonly path: string;
  readonly anchor: string | undefined;
}

/** Links of a page to project files, without external links. */
export function linksOf(page: string): Link[] {
  const targets = [...prose(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", anchor] = target.split("#");
      return { path: file ? normalize(join(dirname(page), file)) : page, anchor };
    });
}

/** Code that a reader may type: inline code, and lines of shell blocks without comments. */
export function commandsOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```/gms)].map(
    ([, language = "", code = ""]) => ({
      language,
      code,
    }),
  );
  const typed = blocks.filter(({ language }) => language === "sh" || language === "");
  const lines = typed.flatMap(({ code }) => code.replaceAll("\\\n", " ").split("\n"));
  const inline = [...text.replaceAll(/^```.*?^```/gms, "").matchAll(/`([^`\n]+)`/g)];
  return [
    ...lines.map((line) => line.replace(/(^|\s)# .*/, "")),
    ...inline.map(([, code = ""]) => code),
  ];
}
