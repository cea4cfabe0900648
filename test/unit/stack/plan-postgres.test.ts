import { describe, expect, test } from "vitest";
import { planStack } from "../../../components/services.ts";
import { isSecret, planContext, textOf } from "./context.ts";
import { testSecrets } from "./record.ts";

const enabled = { scheduler: { enabled: true } };

const plan = () => {
  const found = planStack(planContext(enabled)).postgres;
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
  test("gives every service its own user and database, also repeatedly", () => {
    const sql = filesOf()["databases.sql"] ?? "";
    expect(sql).toContain("format('CREATE ROLE %I LOGIN', 'airflow') WHERE NOT EXISTS");
    expect(sql).toContain("format('CREATE DATABASE %I OWNER %I', 'airflow', 'airflow') WHERE NOT");
    expect(sql).toContain(testSecrets.airflowDatabasePassword);
  });

  test("a quote in a password stays part of the password", () => {
    expect(filesOf({ airflowDatabasePassword: "it's" })["databases.sql"]).toContain("'it''s'");
  });

  test("shows no secret on inspection of the container or the command", () => {
    const { service, apply } = plan();
    const shown = JSON.stringify([service.container, apply]);
    for (const secret of Object.values(testSecrets)) expect(shown).not.toContain(secret);
    for (const { files } of service.configs) expect(files.every(isSecret)).toBe(true);
  });
});
