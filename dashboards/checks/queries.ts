import { rulesFor } from "../alerts/rules.ts";
import { dashboardsFor } from "../definitions/all.ts";
import type { Job } from "../promql.ts";
import type { Signal } from "../signal.ts";
import { query } from "./prometheus.ts";

export interface QueryResult {
  readonly signal: Signal;
  /** Name of the panel or the rule. */
  readonly usedBy: string;
  readonly series: number;
}

/** Runs each expression once. @throws UserError if Prometheus refuses an expression */
export async function querySignals(url: string, jobs: ReadonlySet<Job>): Promise<QueryResult[]> {
  const uses = new Map<string, { signal: Signal; usedBy: string }>();
  const drawn = dashboardsFor(jobs).flatMap(({ uid, rows }) =>
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
  const asked: QueryResult[] = [];
  for (const { signal, usedBy } of uses.values()) {
    asked.push({ signal, usedBy, series: (await query(url, signal.expr)).length });
  }
  return asked;
}
