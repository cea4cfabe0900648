import { describe, expect, test } from "vitest";
import { parseStackConfig } from "../../../pipeline/stack/config.ts";
import { planStack, servicesOf } from "../../../pipeline/stack/plan/stack.ts";
import {
  generatedSecrets,
  requireSecret,
  SECRET_NAMES,
  type SecretName,
  unknownSecrets,
} from "../../../pipeline/stack/secrets.ts";
import { planContext } from "./context.ts";
import { testSecrets } from "./record.ts";

const external = { database: { mode: "external", url: "https://db.example:8443" } };
const secured = {
  broker: {
    mode: "external",
    bootstrap: "b1.example:9094",
    security: { mechanism: "PLAIN", username: "pipeline" },
  },
};

describe("secrets", () => {
  test("that only the user can know are not generated", () => {
    const own = generatedSecrets(parseStackConfig({}));
    expect(own).toContain("databasePassword");
    expect(own).not.toContain("brokerPassword");
    expect(generatedSecrets(parseStackConfig(external))).not.toContain("databasePassword");
  });

  test("that are missing are named with the command that sets them", () => {
    const config = parseStackConfig(external);
    const context = { ...planContext(external), secrets: unknownSecrets(config, new Set()) };
    expect(() => planStack(context)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(
          "database.mode: external needs the secret databasePassword",
        ),
        next: expect.stringContaining("make set-secret NAME=databasePassword"),
      }),
    );
    const given = unknownSecrets(config, new Set<SecretName>(["databasePassword"]));
    expect(requireSecret(given, "databasePassword", "a test")).not.toBe("");
  });

  test("leave the plan's shape alone: services, volumes and files do not depend on values", () => {
    const shape = (secrets: ReturnType<typeof unknownSecrets>) =>
      servicesOf(planStack({ ...planContext(), secrets })).map(({ container, configs }) => ({
        ...container,
        startDigests: Object.keys(container.startDigests),
        configs: configs.map(({ volume, files }) => [volume, files.map(({ path }) => path)]),
      }));
    const { biPreviousSecretKey: _, brokerPassword: __, ...made } = testSecrets;
    const unknown = unknownSecrets(parseStackConfig({}), new Set());
    expect(shape({ ...unknown, ...made })).toEqual(shape(unknown));
  });

  test.each([
    ["as a container", {}],
    ["elsewhere, with a password", secured],
  ])("are all declared by the services whose files depend on them (broker %s)", (_, config) => {
    const planOf = (changed: readonly SecretName[]) => {
      const other = Object.fromEntries(changed.map((name) => [name, `another ${name}`]));
      const context = planContext(config);
      return servicesOf(planStack({ ...context, secrets: { ...testSecrets, ...other } }));
    };
    for (const [index, service] of planOf([]).entries()) {
      const others = SECRET_NAMES.filter((name) => !service.secrets.includes(name));
      expect(planOf(others)[index], service.container.role).toEqual(service);
    }
  });
});
