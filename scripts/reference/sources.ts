import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OPTIONAL_FIELDS } from "../../contract/streams.ts";
import { shippedSources } from "../../warehouse/import/source.ts";
import { SQL_ROOT } from "../../warehouse/sql.ts";
import { code, tableText } from "./table.ts";

const read = (file: string): string => readFileSync(join(SQL_ROOT, "import", file), "utf8");

/** Joins the lines of a comment. */
const commentText = (lines: string): string =>
  lines
    .split("\n")
    .map((line) => line.replace(/^--\s*/, ""))
    .join(" ")
    .trim();

/** Columns of given.sql, and the optional fields that it does not name. */
const columns = (): string => {
  const given = [...read("given.sql").matchAll(/^ {4}(\w+) .*COMMENT '(.*)',?$/gm)];
  const meanings = new Map(given.map(([, name = "", meaning = ""]) => [name, meaning]));
  for (const [name, { description }] of Object.entries(OPTIONAL_FIELDS))
    meanings.set(name, meanings.get(name) ?? description);
  return tableText({
    head: ["column", "meaning"],
    rows: [...meanings].map(([name, meaning]) => [code(name), meaning]),
  });
};

const functions = (): string =>
  tableText({
    head: ["function", "gives"],
    rows: [
      ...read("functions.sql").matchAll(
        /((?:^--.*\n)+)CREATE OR REPLACE FUNCTION (\w+) AS (.*?) ->/gm,
      ),
    ].map(([, comment = "", name = "", parameters = ""]) => [
      code(`${name}(${parameters.replaceAll(/[()]/g, "")})`),
      commentText(comment),
    ]),
  });

const sources = (): string =>
  tableText({
    head: ["name", "reads", "to know"],
    rows: shippedSources().map(({ name, source = "", select }) => [
      code(name),
      source,
      commentText(/^(?:--.*\n)+/.exec(select)?.[0].trim() ?? ""),
    ]),
  });

export const sourcesPage = (): string =>
  [
    "# Sources",
    "What a source of `pipeline import` may give, the functions for its SELECT, and the sources that are known ([how to](../how-to/load-your-own-clickstream.md)).",
    "## Columns of an event",
    "A SELECT gives `row`, `time`, and `page_url` or `event_type`; the other columns are optional. Values may have any type. A dash, `NULL` and the like count as no value.",
    columns(),
    "## Functions",
    "All functions of ClickHouse, and these:",
    functions(),
    "## Known sources",
    sources(),
  ].join("\n\n");
