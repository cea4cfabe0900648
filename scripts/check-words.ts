/** Part of `npm run lint`: reports words that the style rules out, with their replacements. */
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
const WORDS = new RegExp(`\\b(?:${Object.keys(REPLACEMENTS).join("|")})\\b`, "gi");

const tracked = spawnSync("git", ["ls-files", "*.ts", "*.sql", "*.py", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
});
const files = tracked.stdout
  .split("\n")
  .filter((file) => file && basename(file) !== "check-words.ts");

const findings = files.flatMap((file) =>
  readFileSync(join(ROOT, file), "utf8")
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(WORDS)].map(
        ([word]) => `${file}:${index + 1}:  "${word}". Use: ${REPLACEMENTS[word.toLowerCase()]}`,
      ),
    ),
);

for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;
