import { UserError } from "../../contract/errors.ts";
import { didYouMean } from "../../generator/suggestion.ts";
import { lookUp } from "./look-up.ts";
import type { Mapping } from "./mapping.ts";
import type { Row } from "./rows.ts";

/**
 * Checks the columns of a mapping by the first row of a table. JSON objects may lack keys.
 * @throws UserError that names the column and those of the file
 */
export function requireColumns(file: string, row: Row, { columns }: Mapping): void {
  const present = Object.keys(row.values);
  if (row.problem !== undefined || row.isSparse) return;
  const missing = Object.entries(columns).find(
    ([, column]) => column !== undefined && !present.includes(column),
  );
  if (!missing) return;
  const [field, column = ""] = missing;
  throw new UserError(
    `${file}:1: no column "${column}" (columns.${field}). Allowed: ${present.join(", ")}${didYouMean(column, present)}`,
    present.length === 1
      ? "the header is one column: set delimiter in the mapping file to the character between the columns"
      : `correct columns.${field} in the mapping file`,
  );
}

/** Finds mapped keys that are in no JSON object, such as mistyped keys. */
export class UnseenKeys {
  #keys: [field: string, key: string][];
  #hasObjects = false;

  constructor({ columns }: Mapping) {
    this.#keys = Object.entries(columns).flatMap(([field, key]) =>
      key === undefined ? [] : [[field, key] as [string, string]],
    );
  }

  see({ isSparse, values }: Row): void {
    if (!isSparse) return;
    this.#hasObjects = true;
    if (this.#keys.length === 0) return;
    this.#keys = this.#keys.filter(([, key]) => lookUp(values, key) === undefined);
  }

  /** Refuses the first unseen key. @throws UserError that names the key */
  requireNone(): void {
    const [unseen] = this.#keys;
    if (!this.#hasObjects || !unseen) return;
    const [field, key] = unseen;
    throw new UserError(
      `No JSON object has the key "${key}" (columns.${field}); nothing was written`,
      `correct columns.${field} in the mapping file, or remove it`,
    );
  }
}
