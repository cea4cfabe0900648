import { describe, expect, test } from "vitest";
import {
  completeSecrets,
  resolveSecrets,
  SECRET_NAMES,
  secrets,
  secretVariable,
} from "../../../pipeline/stack/secrets.ts";

const generated = SECRET_NAMES.filter((name) => secrets[name].generated);

describe("secrets", () => {
  test("are made for every service, long and different", () => {
    const made = completeSecrets({});
    expect(Object.keys(made)).toEqual(generated);
    expect(new Set(Object.values(made)).size).toBe(generated.length);
    for (const value of Object.values(made)) expect(value).toMatch(/^[\w-]{32}$/);
  });

  test("that are there already stay as they are", () => {
    const present = { databasePassword: "mine", brokerPassword: "theirs" };
    expect(completeSecrets(present)).toMatchObject(present);
  });

  test("come from the first source that has them", () => {
    const made = completeSecrets({});
    const resolved = resolveSecrets(
      [(name) => (name === "biPassword" ? "chosen" : undefined), (name) => made[name]],
      "dev",
    );
    expect(resolved).toMatchObject({ ...made, biPassword: "chosen" });
  });

  test("that are missing are named with the command that makes them", () => {
    expect(() => resolveSecrets([() => ""], "second")).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("EVENT_PIPELINE_CONTROL_TOKEN"),
        next: expect.stringContaining("make init STACK=second"),
      }),
    );
  });

  test("have one environment variable each", () => {
    expect(secretVariable("databasePassword")).toBe("EVENT_PIPELINE_DATABASE_PASSWORD");
  });
});
