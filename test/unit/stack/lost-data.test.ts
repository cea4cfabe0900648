import { delimiter, join } from "node:path";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, test, vi } from "vitest";
import { programError } from "../../../components/shared/program-error.ts";
import { applyToWholeStack, refuseLostData } from "../../../components/shared/whole-stack.ts";

import { UserError } from "../../../contract/errors.ts";

const URN = "urn:pulumi:dev::event-pipeline::";
const key = (name: string) => `${URN}random:index/randomPassword:RandomPassword::${name}`;
const PROVIDER = { [`${URN}pulumi:providers:docker::docker`]: {} };
const STATE = {
  ...PROVIDER,
  [key("superset-secret-key-1")]: {},
  [key("superset-secret-key-2")]: {},
  [key("admin-password")]: {},
};

/** Types and names of the resources that the program has registered. */
let registered: string[];

beforeEach(() => {
  registered = [];
  vi.stubEnv("DOCKER_HOST", "unix:///var/run/docker.sock");
  vi.stubEnv("PATH", [join(import.meta.dirname, "engine"), process.env.PATH].join(delimiter));
  vi.stubEnv("STORED_VOLUMES", "");
});

/** Prepares a run of `pulumi up`. @param state what Pulumi has recorded */
const prepare = (state: object) =>
  pulumi.runtime.setMocks(
    {
      newResource: ({ name, inputs }) => {
        registered.push(name);
        return { id: name, state: inputs };
      },
      call: async () => ({ outputs: await state }),
    },
    "event-pipeline",
    "dev",
    false,
    "organization",
  );

test.each([
  ["event-pipeline-dev-kafka-data", ["superset-secret-key-1", "superset-secret-key-2", "other"]],
  ["superset-secret-key-2", ["superset-secret-key-1", "event-pipeline-dev-kafka-data"]],
])("a program without %s, which the stack has, is refused", async (lost, declared) => {
  vi.stubEnv("STORED_VOLUMES", "event-pipeline-dev-kafka-data");
  await prepare(STATE);
  await expect(refuseLostData(new Set(declared))).rejects.toThrow(
    new RegExp(`^This change would delete ${lost}, .*\n +hint: .*make clean`),
  );
  await refuseLostData(new Set([...declared, lost]));
});

test("a new stack with volumes that another backend records is refused", async () => {
  vi.stubEnv("STORED_VOLUMES", "event-pipeline-dev-kafka-data");
  await prepare({});
  await expect(refuseLostData(new Set(["event-pipeline-dev-kafka-data"]))).rejects.toThrow(
    /the volume event-pipeline-dev-kafka-data of a stack dev .*\n +hint: .*make clean STACK=dev FOREIGN=1/,
  );
  // As a killed first start leaves it.
  await prepare(PROVIDER);
  await refuseLostData(new Set(["event-pipeline-dev-kafka-data"]));
});

test("nothing in the engine changes before the check, also without a preview", async () => {
  const state = Promise.withResolvers<object>();
  await prepare(state.promise);
  const run = pulumi.runtime.runInPulumiStack(async () => {
    applyToWholeStack({ protectData: false });
    new docker.Network("network");
  });
  await vi.waitFor(() => expect(registered).toEqual(["event-pipeline-dev"]));
  await new Promise(setImmediate);
  expect(registered).toEqual(["event-pipeline-dev"]);
  state.resolve({});
  await run;
  await vi.waitFor(() => expect(registered).toEqual(["event-pipeline-dev", "docker", "network"]));
});

test("the error of the program stays as it is when properties wait for it", () => {
  const error = programError(new UserError("what is lost", "undo it"));
  error.message = `error serializing property "host": ${error.message}`;
  expect(error).toMatchObject({ message: "what is lost\n  hint: undo it", stack: error.message });
});
