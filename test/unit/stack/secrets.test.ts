import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, test } from "vitest";
import { ownSecret } from "../../../components/shared/secrets.ts";

beforeAll(async () => {
  const newResource = ({ name }: { name: string }) => ({
    id: name,
    state: { result: `generated-${name}` },
  });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "event-pipeline", "dev");
});

test.each([
  ["is generated", undefined, "generated-any-password"],
  ["is the given one", "chosen", "chosen"],
])("a secret %s", async (_, given, expected) => {
  const secret = ownSecret("any-password", given, new pulumi.ComponentResource("t", "t"));
  expect(await new Promise((resolve) => secret.apply(resolve))).toBe(expected);
  expect(await pulumi.isSecret(secret)).toBe(true);
});
