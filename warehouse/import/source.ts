import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { quote } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import { fileFailure } from "../../contract/files.ts";
import { siteSchema } from "../../contract/site.ts";
import { didYouMean } from "../../generator/suggestion.ts";
import { SQL_ROOT } from "../sql.ts";

const SOURCES = join(SQL_ROOT, "sources");
export const GUIDE = "docs/how-to/load-your-own-clickstream.md";

/** The comment that begins a source is YAML with these keys. */
const headerSchema = z.strictObject({
  /** What the source reads. */
  source: z.string().optional(),
  /** How rows are read; default: by the ending of a file. `lines` gives the one column `line`. */
  format: z.literal("lines").optional(),
  /** Columns by which a file is recognised. */
  columns: z.array(z.string()).default([]),
  /** Columns that a file may lack; they are empty then. */
  optional: z.array(z.string()).default([]),
  /** Site of the rows that the SELECT gives none. */
  site: z.string().trim().min(1).default(""),
  /** Hosts of the pages, such as example.com, if the pages are paths; a referrer of them is internal. */
  hosts: z.array(z.string()).default([]),
  /** Pattern of the first line, by which a file of `lines` is recognised. */
  first_line: z.string().optional(),
  ...siteSchema.shape,
});

export interface Source extends z.infer<typeof headerSchema> {
  /** Name of the file without its ending. */
  readonly name: string;
  readonly file: string;
  /** A SELECT from the table `input`. */
  readonly select: string;
}

/** End of a statement, which a comment may follow. */
const STATEMENT_END = /;\s*(--[^\n]*)?$/;

/** Reads a source. @throws UserError if the file is missing or its first comment is invalid */
export function readSource(file: string): Source {
  const text = textOf(file);
  const [comment = ""] = /^(?:--.*\n)*/.exec(text) ?? [];
  const header = readHeader(file, comment.replaceAll(/^-- ?/gm, ""));
  const select = text.slice(comment.length).trim();
  return {
    name: basename(file, ".sql"),
    file,
    select: select.replace(STATEMENT_END, ""),
    ...header,
  };
}

function readHeader(file: string, text: string): z.infer<typeof headerSchema> {
  try {
    return headerSchema.parse(parse(text) ?? {});
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const reason = issue ? `${issue.path.join(".")} ${issue.message}` : (error as Error).message;
    throw new UserError(
      `${file}: the comment at its beginning is not a header of a source: ${reason.split("\n")[0]}`,
      `write keys such as "-- source: my shop"; other comments come after an empty line (${GUIDE})`,
    );
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (existsSync(file)) throw fileFailure(error, `The SELECT ${file}`) ?? error;
    throw new UserError(
      `The SELECT ${file} does not exist`,
      `write one: pipeline import FILE --write-select ${quote(file)}`,
    );
  }
}

export const isShipped = ({ file }: Source): boolean => file.startsWith(SOURCES);

export const shippedSources = (): Source[] =>
  readdirSync(SOURCES)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => readSource(join(SOURCES, name)));

/** Returns the source of a name. @throws UserError that lists the names */
export function sourceNamed(name: string): Source {
  const sources = shippedSources();
  const found = sources.find((source) => source.name === name);
  if (found) return found;
  const names = sources.map((source) => source.name);
  throw new UserError(
    `--from ${name} is not a known source. Allowed: ${names.join(", ")}${didYouMean(name, names)}`,
    "for another format, write a SELECT: pipeline import FILE --write-select my.sql",
  );
}
