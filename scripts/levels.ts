/** A test level: a vitest project, what it needs beyond npm, and what it proves. */
export interface Level {
  readonly name: string;
  readonly proves: string;
  readonly needs?: () => Promise<{ missingNeeds(): string[] }>;
}

/** In the order in which they run: the cheapest first. */
export const LEVELS: readonly Level[] = [
  { name: "unit", proves: "model, contract, planners, configuration, the graph under mocks" },
  { name: "engine", proves: "every SQL file and gate on the real ClickHouse engine" },
  {
    name: "kafka",
    proves: "generator, loader and Kafka engine on a real broker",
    needs: () => import("../test/kafka/needs.ts"),
  },
  {
    name: "stack",
    proves: "the real graph on a Docker engine: up, change, down, clean, two stacks at once",
    needs: () => import("../test/stack/needs.ts"),
  },
];
