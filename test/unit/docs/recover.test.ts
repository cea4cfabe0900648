import { expect, test } from "vitest";
import { projectFiles, textOf } from "./pages.ts";

const pages = projectFiles("docs/how-to/recover/*.md");
const text = pages.map(textOf).join("\n");
const programs = projectFiles("*.ts", "*.sql", "*.py", "*.cjs", "*.sh").filter(
  (file) => !file.startsWith("test/"),
);

/** Fixed beginnings of the error messages of `make up`, `down` and the others. */
const beginnings = programs
  .filter((file) => /^stack\/(lifecycle|doctor)\//.test(file))
  .flatMap((file) =>
    [...textOf(file).matchAll(/new UserError\(\s*["`]([A-Z][^"`$:.]{11,})/g)].map(
      ([, beginning = ""]) => beginning.trim(),
    ),
  );

test("the pages have every error of the stack's commands with a fixed beginning", () => {
  expect(beginnings).toContain("The stack cannot start");
  expect(beginnings.filter((beginning) => !text.includes(`\`${beginning}`))).toEqual([]);
});

/** Messages of third-party services. */
const OF_OTHERS = ["out of bounds", "attempt to write a readonly database", "git pull", "data/*"];

/** Fixed parts of a message; `…` and single capitals are placeholders for values. */
const fixedParts = (message: string): string[] =>
  message
    .split(/…|\b[NM]\b|\b\d+\b|: orphan_events = |assert_dds_integrity| \(\)/)
    .map((part) => part.replaceAll(/^[ :.,;()]+|[ :.,;()]+$/g, ""))
    .filter((part) => part.length > 3);

test("every message in a heading of the pages exists in a program", () => {
  const code = programs
    .map(textOf)
    .join("\n")
    .replaceAll(/["`] \+\s+["`]/g, "");
  const headings = text.split("\n").filter((line) => line.startsWith("## "));
  const messages = headings.flatMap((line) =>
    [...line.matchAll(/`([^`]+)`/g)].map(([, one = ""]) => one),
  );
  expect(messages.length).toBeGreaterThan(60);
  const parts = messages.filter((one) => !OF_OTHERS.includes(one)).flatMap(fixedParts);
  expect(parts.filter((part) => !code.includes(part))).toEqual([]);
});
