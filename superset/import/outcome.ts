import { UserError } from "../../contract/errors.ts";
import type { BiOutcome } from "./init.ts";
import { EMPTY } from "./marts.ts";

/** @throws UserError where a chart does not answer, or shows nothing although there is something */
export function requireShown({ charts, rows }: BiOutcome): void {
  const broken = charts.filter(({ error }) => error !== undefined);
  const [first] = broken;
  if (first) {
    throw new UserError(
      `${broken.length} of ${charts.length} charts do not answer; ${first.chart.title}: ${first.error}`,
      "make ddl, then make bi-init",
    );
  }
  if (rows === 0) return;
  const empty = charts.filter((one) => one.rows === 0 && one.chart.emptyUntil === undefined);
  if (empty.length === 0) return;
  throw new UserError(
    `The marts hold ${rows} page events, and ${empty.length} of ${charts.length} charts show nothing: ` +
      `${empty.map(({ chart }) => chart.title).join(", ")}.`,
    "make transform builds the marts anew, then make bi-init",
  );
}

/** What a person should know besides the numbers. */
export function remarks({ charts, rows, retired, dashboard }: BiOutcome): string[] {
  const empty = charts.filter((one) => one.rows === 0);
  return [
    ...retired.removed.map(
      (name) => `Removed, as it is no part of the dashboard any more: ${name}`,
    ),
    ...retired.used.map((name) => `No part of the dashboard any more, but still in use: ${name}`),
    ...(rows === 0 ? [EMPTY] : []),
    ...(rows === 0
      ? []
      : empty.map(({ chart }) => `Empty until ${chart.emptyUntil}: ${chart.title}`)),
    ...(rows === 0 ? [] : [`Open ${dashboard}`]),
  ];
}
