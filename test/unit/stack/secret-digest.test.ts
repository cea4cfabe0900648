import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { PlanContext } from "../../../pipeline/stack/plan/context.ts";
import { secretDigest } from "../../../pipeline/stack/plan/secret-digest.ts";
import { containersOf, planStack, servicesOf } from "../../../pipeline/stack/plan/stack.ts";
import { planContext } from "./context.ts";
import { testSecrets } from "./record.ts";

const broker = {
  mode: "external",
  bootstrap: "b1.example:9094",
  security: { mechanism: "PLAIN", username: "pipeline" },
};
const withSecrets = (secrets: object, config: object = { broker }): PlanContext => ({
  ...planContext({ ...config }),
  secrets: { ...testSecrets, ...secrets },
});
const digestsOf = (context: PlanContext) =>
  Object.fromEntries(
    containersOf(planStack(context)).map(({ role, startDigests }) => [role, startDigests]),
  );
/** Roles whose digests differ. */
const changedBy = (before: PlanContext, after: PlanContext): string[] => {
  const [former, now] = [digestsOf(before), digestsOf(after)];
  const roles = Object.keys(former).filter(
    (role) => JSON.stringify(former[role]) !== JSON.stringify(now[role]),
  );
  return roles.sort();
};

describe("what a container's labels tell of secrets", () => {
  test("is the same from run to run, and another for another secret or stack", () => {
    const context = withSecrets({});
    expect(digestsOf(context)).toEqual(digestsOf(withSecrets({})));
    const digest = secretDigest(context, "a password");
    expect(digest).toMatch(/^[0-9a-f]{16}$/);
    expect(secretDigest(context, "another")).not.toBe(digest);
    expect(secretDigest(planContext({}, {}, "second"), "a password")).not.toBe(digest);
  });

  test("cannot be guessed without the stack's own keys", () => {
    for (const { container, configs } of servicesOf(planStack(withSecrets({})))) {
      const contents = configs.flatMap(({ files }) =>
        files.filter(({ secret }) => secret).map(({ content }) => content),
      );
      const guesses = [...Object.values(testSecrets), ...contents, contents.join("\n")].map(
        (guess) => createHash("sha256").update(guess).digest("hex").slice(0, 16),
      );
      for (const digest of Object.values(container.startDigests)) {
        expect(guesses, container.role).not.toContain(digest);
      }
    }
    const roles = changedBy(
      withSecrets({}),
      withSecrets({ schedulerFernetKey: "of another stack" }),
    );
    expect(roles).toEqual(
      expect.arrayContaining(["bi", "broker-exporter", "broker-ui", "dashboards", "database"]),
    );
  });

  test("changes with the secret that a service reads at its start, and with no other", () => {
    const own = withSecrets({}, {});
    const administrator = withSecrets({ databasePassword: "chosen" }, {});
    expect(changedBy(own, administrator)).toContain("database");
    expect(changedBy(own, withSecrets({ biSecretKey: "rotated" }, {}))).toEqual(["bi"]);
    const changed = changedBy(withSecrets({}), withSecrets({ brokerPassword: "chosen" }));
    expect(changed).toEqual(expect.arrayContaining(["broker-exporter", "broker-ui", "generator"]));
    expect(changed).not.toContain("database");
  });
});
