import { formatCount, renderTable } from "../../../terminal/format.ts";
import type { DeepResult } from "./result.ts";

export function renderDeep(result: DeepResult): string {
  return [
    lineTable(result),
    ...result.rows.map(
      ({ layer, table, key, expected, found, columns }) =>
        `  ${layer}.${table} ${key}: ${columns.length > 0 ? columns.join(", ") : `${expected} expected, ${found} found`}`,
    ),
    ...result.unchecked.map(
      ({ layer, table, reason }) => `${layer}.${table} is not compared: ${reason}`,
    ),
    ...result.views.map(({ object, what }) => `${object} differs from sql/ddl: ${what}`),
    totalText(result),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function lineTable({ lines }: DeepResult): string {
  const rows = lines
    .filter(({ isEqual }) => !isEqual)
    .map(({ layer, table, day, expected, found }) => [`${layer}.${table}`, day, expected, found]);
  return rows.length === 0
    ? ""
    : renderTable(["table", "day", "expected rows", "found rows"], rows);
}

function totalText({ lines }: DeepResult): string {
  const differing = lines.filter(({ isEqual }) => !isEqual).length;
  const rows = lines.reduce((total, { expected }) => total + expected, 0);
  const compared = `${formatCount(rows)} rows computed again, ${formatCount(lines.length)} lines by table and day`;
  return `${compared}: ${differing === 0 ? "all equal" : `${formatCount(differing)} differ`}.`;
}
