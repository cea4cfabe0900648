import { describe, expect, test } from "vitest";
import { clientsOf, planStack } from "../../../components/services.ts";
import { planContext } from "./context.ts";

const service = { database: { ingest: "service" } } as const;

const tiersOf = (config: Record<string, unknown>) =>
  clientsOf(planStack(planContext(config))).flatMap(
    ({ environment }) => environment.DDL_TIER ?? [],
  );

describe("database.ingest", () => {
  test("service: deploys it, and commands create its tables instead of the engine's", () => {
    const plan = planStack(planContext(service));
    expect(plan.ingest?.service.container).toMatchObject({
      name: "event-pipeline-dev-ingest",
      environment: {
        KAFKA_BOOTSTRAP_SERVERS: "kafka:29092",
        CLICKHOUSE_URL: "http://clickhouse:8123",
        CLICKHOUSE_USER: "default",
        CLICKHOUSE_PASSWORD_FILE: "/run/event-pipeline/clickhouse-password",
      },
      memoryMiB: 1024,
    });
    expect(plan.ingest?.scrape).toEqual([{ job: "ingest", target: "ingest:9110" }]);
    expect(tiersOf(service)).toEqual(["service"]);
    const airflow = plan.scheduler?.service.container.environment;
    expect(airflow).toMatchObject({ DDL_TIER: "service" });
  });

  test("service: stores the topics of the stack's broker in an external database", () => {
    const database = { mode: "external", url: "https://db.example:8443" };
    expect(() => planStack(planContext({ database }))).toThrow("cannot reach a broker");
    const plan = planStack(planContext({ database: { ...database, ingest: "service" } }));
    expect(plan.ingest?.service.container.environment).toMatchObject({
      KAFKA_BOOTSTRAP_SERVERS: "kafka:29092",
      CLICKHOUSE_URL: "https://db.example:8443",
    });
  });
});
