import { describe, expect, test } from "vitest";
import { expectGolden } from "./golden.ts";
import { recordProgram } from "./record.ts";
import { expectRules } from "./walk.ts";

const resources = await recordProgram("cloud", {
  network: { portOffset: 1000 },
  broker: {
    mode: "external",
    bootstrap: "b1.example:9094,b2.example:9094",
    security: { mechanism: "SCRAM-SHA-512", username: "pipeline" },
  },
  database: { mode: "external", url: "https://db.example:8443", user: "loader" },
  generator: { settings: { GEN_SEED: 7, GEN_PROFILE: "daily-wave" } },
});

describe("the program with an external broker and database", () => {
  test("is what the golden file says", () => expectGolden("external", resources));

  test("keeps the rules of every resource", () => expectRules(resources));

  test("runs neither of them", () => {
    const names = resources
      .filter(({ type }) => type.endsWith(":Container"))
      .map((one) => one.name);
    expect(names).toEqual([
      "broker-ui-config-loader",
      "broker-ui-service",
      "generator-secrets-loader",
      "generator-service",
    ]);
  });
});
