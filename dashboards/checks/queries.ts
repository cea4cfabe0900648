import { rulesFor } from "../alerts/rules.ts";
import { pagesFor } from "../definitions/all.ts";
import type { Job } from "../promql.ts";
import type { Signal } from "../signal.ts";
import { query } from "./prometheus.ts";

export interface Asked {
  readonly signal: Signal;
  /** The panel that shows it, or the rule that evaluates it. */
  readonly usedBy: string;
  readonly series: number;
}

/**
 * Runs every expression of the dashboards and rules of a stack with these jobs, each once.
 * @throws UserError if Prometheus refuses one
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
