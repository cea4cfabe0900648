/** A vitest project, its requirements beyond npm, and its claim. */
export interface Level {
  readonly name: string;
  readonly proves: string;
  readonly needs?: () => Promise<{ missingNeeds(): string[] }>;
  /** The tests wait for external services. This can hide an occasional timeout of our own. */
  readonly secondRun?: true;
}

/** In starting order: the cheapest, then the longest first, so that lanes end together. */
export const LEVELS: readonly Level[] = [
  { name: "unit", proves: "model, contract, planners, configuration, the graph under mocks" },
  {
    name: "stack",
    proves: "the real graph on a Docker engine: up, change, down, clean, two stacks at once",
    needs: () => import("../test/stack/needs.ts"),
    secondRun: true,
  },
  {
    name: "kafka",
    proves: "generator, loader and Kafka engine on a real broker",
    needs: () => import("../test/kafka/needs.ts"),
  },
  {
    name: "airflow",
    proves: "the DAGs, and how they fail, on the real Airflow with broker and database",
    needs: () => import("../test/airflow/needs.ts"),
    secondRun: true,
  },
  {
    name: "monitoring",
    proves: "rules by promtool, mappings, every query against a real Prometheus, drills",
    needs: () => import("../test/monitoring/needs.ts"),
    secondRun: true,
  },
  { name: "engine", proves: "every SQL file and gate on the real ClickHouse engine" },
  {
    name: "bi",
    proves: "dashboard and bi-init on a real Superset, every chart asked, drawn in a browser",
    needs: () => import("../test/bi/needs.ts"),
    secondRun: true,
  },
];
