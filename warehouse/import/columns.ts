import { UserError } from "../../contract/errors.ts";
import { didYouMean } from "../../generator/nearest.ts";
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
    `correct columns.${field} in the mapping file`,
  );
}
