import { rulesFor } from "../alerts/rules.ts";
import { pagesFor } from "../definitions/all.ts";
import type { Job } from "../promql.ts";
import type { Signal } from "../signal.ts";
import { query } from "./prometheus.ts";

export interface Asked {
  readonly signal: Signal;
  /** Where it is drawn, or the rule that judges it. */
  readonly usedBy: string;
  readonly series: number;
}

/**
 * Asks every expression of the dashboards and rules that a stack with these jobs has, each once.
 * @throws UserError when one is refused
 */
export async function askSignals(url: string, jobs: ReadonlySet<Job>): Promise<Asked[]> {
  const uses = new Map<string, { signal: Signal; usedBy: string }>();
  const drawn = pagesFor(jobs).flatMap(({ uid, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) =>
        panel.signals.map((signal) => [signal, `${uid}, ${panel.title}`] as const),
      ),
    ),
  );
  const judged = rulesFor(jobs).map(({ signal, name }) => [signal, name] as const);
  for (const [signal, usedBy] of [...drawn, ...judged]) {
    if (!uses.has(signal.expr)) uses.set(signal.expr, { signal, usedBy });
  }
  const asked: Asked[] = [];
  for (const { signal, usedBy } of uses.values()) {
    asked.push({ signal, usedBy, series: (await query(url, signal.expr)).length });
  }
  return asked;
}
