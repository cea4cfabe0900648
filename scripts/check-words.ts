/** Reports words that the style forbids, with replacements. Part of `npm run lint`. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

const REPLACEMENTS: Readonly<Record<string, string>> = {
  anew: "again, re-create, rebuild",
  cure: "fix, hint",
  cures: "fixes",
  told: "reported, printed, shown",
  ails: "is unhealthy, is failing",
  wish: "request",
  wishes: "requests",
  "once more": "again",
  "in vain": "without success, unnecessarily",
  "what it says": "message, content",
};
const PHRASES = Object.keys(REPLACEMENTS).map((phrase) => phrase.replaceAll(" ", "\\s+"));
const WORDS = new RegExp(`\\b(?:${PHRASES.join("|")})\\b`, "gi");

const tracked = spawnSync("git", ["ls-files", "*.ts", "*.js", "*.sql", "*.py", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
});
const files = tracked.stdout
  .split("\n")
  .filter((file) => file && basename(file) !== "check-words.ts");

/** Marks at the start of a line: of a comment, a list or a quotation. */
const MARGIN = /^\s*(?:\/\/|\/\*\*?|\*|--|#|>|-)?\s*/;

/** Finds phrases, also those that are broken over two lines. */
function findingsIn(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), "utf8")
    .split("\n")
    .map((line) => line.replace(MARGIN, ""));
  const text = lines.join("\n");
  return [...text.matchAll(WORDS)].map(({ 0: word, index }) => {
    const line = text.slice(0, index).split("\n").length;
    const phrase = word.replace(/\s+/, " ");
    return `${file}:${line}:  "${phrase}". Use: ${REPLACEMENTS[phrase.toLowerCase()]}`;
  });
}

const findings = files.flatMap(findingsIn);

for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;
