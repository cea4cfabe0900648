import { type Document, isMap, isNode, isScalar, type LineCounter } from "yaml";
import type { z } from "zod";
import { UserError } from "../../contract/errors.ts";
import { didYouMean } from "../../generator/suggestion.ts";
import { FIELDS } from "./fields.ts";

const BLOCKS = ["time", "delimiter", "columns", "constants", "values", "funnel", "session_minutes"];
const ALLOWED_KEYS: Readonly<Record<string, readonly string[]>> = {
  "": BLOCKS,
  time: ["format", "zone"],
  funnel: ["stage", "pages"],
};

type Path = readonly PropertyKey[];

/** Describes one problem of a mapping file: file and line, key, value, what is allowed. */
export function explainIssue(
  file: string,
  document: Document,
  lines: LineCounter,
  issue: z.core.$ZodIssue,
): UserError {
  const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = unknown === undefined ? issue.path : [...issue.path, unknown];
  const at = lines.linePos(positionOf(document, path)).line;
  const what = unknown === undefined ? invalid(document, path, issue) : unknownKey(path);
  return new UserError(
    `${file}:${at}: ${what}`,
    `correct ${file}, or write a new one: pipeline import FILE --write-mapping NEW_FILE`,
  );
}

function unknownKey(path: Path): string {
  // Stages of the funnel are numbered.
  const block = path
    .filter((key) => typeof key !== "number")
    .slice(0, -1)
    .join(".");
  const name = String(path.at(-1));
  const allowed = ALLOWED_KEYS[block] ?? Object.keys(FIELDS);
  return `${path.join(".")} is not a key of a mapping. Allowed: ${allowed.join(", ")}${didYouMean(name, allowed)}`;
}

function invalid(document: Document, path: Path, { message }: z.core.$ZodIssue): string {
  const value = document.getIn(path);
  const isMissing = value === undefined;
  if (isMissing) return `${path.join(".")} is missing. ${allowedAt(path)}`;
  const shown = isNode(value) || path.length === 0 ? "" : ` ${JSON.stringify(value)}`;
  return `${path.join(".") || "the mapping"}${shown}: ${message}`;
}

const allowedAt = (path: Path): string => {
  const allowed = ALLOWED_KEYS[path.slice(0, -1).join(".")];
  return allowed ? `A mapping needs ${String(path[0])}. Its keys: ${allowed.join(", ")}` : "";
};

/** Returns the offset of the path's key, or of the nearest block above the path. */
function positionOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const key = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && item.key.value === key)
      : undefined;
    if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0];
  }
  return 0;
}
