/** Test level: a vitest project, the requirements beyond npm, and what it proves. */
export interface Level {
  readonly name: string;
  readonly proves: string;
  readonly needs?: () => Promise<{ missingNeeds(): string[] }>;
  /** True to retry timeouts of external services; this can hide timeouts of this project. */
  readonly secondRun?: true;
}

/** Levels in starting order: the longest first, so that the lanes end together. */
export const LEVELS: readonly Level[] = [
  {
    name: "stack",
    proves: "the real program on a Docker engine: up, change, down, clean, two stacks at once",
    needs: () => import("../test/stack/needs.ts"),
    secondRun: true,
  },
  {
    name: "kafka",
    proves: "generator, loader and Kafka engine on a real broker",
    needs: () => import("../test/kafka/needs.ts"),
  },
  { name: "engine", proves: "every SQL file and gate on the real ClickHouse engine" },
  {
    name: "airflow",
    proves: "the DAGs and their failures on the real Airflow with broker and database",
    needs: () => import("../test/airflow/needs.ts"),
    secondRun: true,
  },
  {
    name: "monitoring",
    proves: "rules by promtool, mappings, every query against a real Prometheus, drills",
    needs: () => import("../test/monitoring/needs.ts"),
    secondRun: true,
  },
  {
    name: "bi",
    proves: "dashboard and bi-init on a real Superset, every chart queried and drawn in a browser",
    needs: () => import("../test/bi/needs.ts"),
    secondRun: true,
  },
  { name: "unit", proves: "model, contract, planners, configuration, the program under mocks" },
];
