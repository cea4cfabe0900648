import { describe, expect, test } from "vitest";
import { usersFile } from "../../../components/database/users.ts";
import { planStack } from "../../../components/services.ts";
import { isSecret, planContext, textOf } from "./context.ts";
import { testSecrets } from "./record.ts";

type Context = ReturnType<typeof planContext>;

const planOf = (context: Context) => {
  const plan = planStack(context).bi;
  if (!plan) throw new Error("no BI planned");
  return plan;
};
const filesOf = (context: Context) => planOf(context).service.configs.flatMap(({ files }) => files);

describe("BI", () => {
  test("keeps every secret in files, none in the environment", () => {
    const plan = planOf(planContext());
    const environment = JSON.stringify(plan.service.container.environment);
    for (const secret of Object.values(testSecrets)) expect(environment).not.toContain(secret);
    expect(filesOf(planContext()).every(isSecret)).toBe(true);
  });

  test("is one of the users with rights in the golden configuration", async () => {
    const text = textOf(usersFile.content).replaceAll(/\b[0-9a-f]{64}\b/g, "SHA-256");
    await expect(text).toMatchFileSnapshot("../../golden/database-users.yaml");
  });

  test("reads an external database as the configured user", () => {
    const database = { mode: "external", url: "https://db.example:8443", user: "reader" };
    const broker = { mode: "external", bootstrap: "b.example:9092" };
    expect(planOf(planContext({ broker, database })).client).toMatchObject({
      environment: { BI_DATABASE_URL: "https://db.example:8443", BI_DATABASE_USER: "reader" },
      secrets: { BI_DATABASE_PASSWORD: "clickhousePassword" },
    });
  });

  test("restarts with a new key, and gets the previous one as long as there is one", () => {
    const names = (one: Context) => filesOf(one).map(({ path }) => path);
    expect(names(planContext({ bi: { secretKeyGeneration: 2 } }))).toContain("previous-secret-key");
    expect(names(planContext({}, {}, "dev", ["supersetSecretKey"]))).toContain(
      "previous-secret-key",
    );
    expect(names(planContext())).not.toContain("previous-secret-key");
    const text = planOf(planContext()).service.container.replaceTriggers.secrets;
    expect(textOf(text, { supersetSecretKey: "another" })).not.toBe(textOf(text));
  });
});
