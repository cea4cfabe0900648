import { describe, expect, test } from "vitest";
import { planPostgres, postgresDatabase } from "../../../components/postgres/spec.ts";
import { isSecret } from "../../../components/shared/spec.ts";
import { planContext, textOf } from "./context.ts";
import { testSecrets } from "./record.ts";

const enabled = { scheduler: { enabled: true } };

const plan = () => {
  const found = planPostgres(planContext(enabled));
  if (!found) throw new Error("no Postgres planned");
  return found;
};
const filesOf = (secrets: object = {}): Record<string, string> =>
  Object.fromEntries(
    plan().service.configs.flatMap(({ files }) =>
      files.map(({ path, content }) => [path, textOf(content, secrets)]),
    ),
  );

describe("Postgres", () => {
  test("is there only where a service keeps something in it", () => {
    const nobody = { scheduler: { enabled: false }, bi: { enabled: false } };
    expect(planPostgres(planContext(nobody))).toBeNull();
    expect(plan().service.dataVolumes).toEqual([
      { role: "data", volume: "event-pipeline-dev-postgres-data" },
    ]);
  });

  test("publishes no port", () => expect(plan().service.container.ports).toEqual([]));

  test("gives every service its own user and database, twice if need be", () => {
    const sql = filesOf()["databases.sql"] ?? "";
    expect(sql).toContain("format('CREATE ROLE %I LOGIN', 'airflow') WHERE NOT EXISTS");
    expect(sql).toContain("format('CREATE DATABASE %I OWNER %I', 'airflow', 'airflow') WHERE NOT");
    expect(sql).toContain(testSecrets.schedulerDatabasePassword);
  });

  test("a quote in a password stays a part of the password", () => {
    expect(filesOf({ schedulerDatabasePassword: "it's" })["databases.sql"]).toContain("'it''s'");
  });

  test("tells a service how to reach its own database", () => {
    expect(postgresDatabase("scheduler")).toEqual({
      host: "postgres",
      port: 5432,
      name: "airflow",
      user: "airflow",
      password: "schedulerDatabasePassword",
    });
  });

  test("shows no secret to whoever inspects the container or the command", () => {
    const { service, apply } = plan();
    const shown = JSON.stringify([service.container, apply]);
    for (const secret of Object.values(testSecrets)) expect(shown).not.toContain(secret);
    for (const { files } of service.configs) expect(files.every(isSecret)).toBe(true);
  });

  test("applies its databases as the administrator of its own container", () => {
    expect(plan().apply).toEqual(
      expect.arrayContaining(["event-pipeline-dev-postgres", "psql", "postgres"]),
    );
  });
});
