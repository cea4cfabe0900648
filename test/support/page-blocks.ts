/** Code blocks of the docs pages, and the comment above a block that names where a test runs it. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/**
 * - here: in the checkout, by the engine level; needs no comment
 * - copy: in a copy of the checkout, by the engine level, because the block changes the checkout
 * - stack: by the stack level
 * - name: by no test; only the names of its commands and options are checked
 */
type Place = "here" | "copy" | "stack" | "name";

export interface Block {
  readonly language: string;
  readonly code: string;
  readonly place: Place;
  /** Why no test runs it. */
  readonly reason: string | undefined;
}

const PLACES: Readonly<Record<string, Place>> = {
  "in a copy": "copy",
  "on the stack": "stack",
  "by name": "name",
};
const BLOCK = /(?:<!-- (in a copy|on the stack|by name)(?:: ([^\n]*))? -->\n)?```(\w+)\n(.*?)```/gs;

export const blocksOf = (text: string): Block[] =>
  [...text.matchAll(BLOCK)].map(([, mark = "", reason, language = "", code = ""]) => ({
    language,
    code: code.trim(),
    place: PLACES[mark] ?? "here",
    reason,
  }));

/** Pages whose every shell block has a place. */
export const COMMAND_PAGES = globSync(["docs/tutorial/**/*.md", "docs/how-to/**/*.md"], {
  cwd: ROOT,
}).toSorted();

/** Shell blocks of a page that run in `place`. */
export const shellBlocks = (page: string, place: Place): Block[] =>
  blocksOf(readFileSync(join(ROOT, page), "utf8")).filter(
    (block) => block.language === "sh" && block.place === place,
  );
