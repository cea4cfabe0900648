import { UserError } from "../../contract/errors.ts";
import type { BiOutcome } from "./init.ts";
import { EMPTY } from "./marts.ts";

/** Checks the charts. @throws UserError if one fails, or is empty although the marts have data */
export function requireChartsToLoad({ charts, rows }: BiOutcome): void {
  const broken = charts.filter(({ error }) => error !== undefined);
  const [first] = broken;
  if (first) {
    throw new UserError(
      `${broken.length} of ${charts.length} charts fail; ${first.chart.title}: ${first.error}`,
      "run make ddl, then make bi-init",
    );
  }
  if (rows === 0) return;
  const empty = charts.filter((one) => one.rows === 0 && one.chart.emptyUntil === undefined);
  if (empty.length === 0) return;
  throw new UserError(
    `The marts have ${rows} page events, but ${empty.length} of ${charts.length} charts are empty: ` +
      `${empty.map(({ chart }) => chart.title).join(", ")}`,
    "run make transform, then make bi-init",
  );
}

export function remarks({ charts, rows, retired, pages }: BiOutcome): string[] {
  const empty = charts.filter((one) => one.rows === 0);
  return [
    ...retired.removed.map((name) => `Removed, no longer part of a dashboard: ${name}`),
    ...retired.used.map((name) => `Not removed, because an asset of a user shows it: ${name}`),
    ...(rows === 0 ? [EMPTY] : []),
    ...(rows === 0
      ? []
      : empty.map(({ chart }) => `Empty until ${chart.emptyUntil}: ${chart.title}`)),
    ...(rows === 0 ? [] : pages.map((page) => `Open ${page}`)),
  ];
}
