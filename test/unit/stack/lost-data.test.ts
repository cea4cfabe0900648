import { delimiter, join } from "node:path";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, expect, test, vi } from "vitest";
import { programError } from "../../../components/shared/program-error.ts";
import { refuseLostData, wholeStackOptions } from "../../../components/shared/whole-stack.ts";

import { UserError } from "../../../contract/errors.ts";

const URN = "urn:pulumi:dev::event-pipeline::";
const key = (name: string) => `${URN}random:index/randomPassword:RandomPassword::${name}`;
/** As a killed first start leaves it. */
const BEGUN = { [`${URN}random:index/randomId:RandomId::identity`]: { outputs: { hex: "own" } } };
const STATE = {
  ...BEGUN,
  [key("superset-secret-key-1")]: {},
  [key("superset-secret-key-2")]: {},
  [key("admin-password")]: {},
};

/** Types and names of the resources that the program has registered. */
let registered: string[];
/** Number of reads of the state that fail. */
let unreadable: number;

beforeEach(() => {
  registered = [];
  unreadable = 0;
  vi.stubEnv("DOCKER_HOST", "unix:///var/run/docker.sock");
  vi.stubEnv("PATH", [join(import.meta.dirname, "engine"), process.env.PATH].join(delimiter));
  vi.stubEnv("STORED_VOLUMES", "");
  vi.stubEnv("STORED_CONTAINERS", "");
});

/** Prepares a run of `pulumi up`. @param state what Pulumi has recorded */
const prepare = (state: object, isPreview = false) =>
  pulumi.runtime.setMocks(
    {
      newResource: ({ name, inputs }) => {
        registered.push(name);
        return { id: name, state: inputs };
      },
      call: async () => {
        if (unreadable-- > 0) throw { details: "failed to load checkpoint: EOF" };
        return { outputs: await state };
      },
    },
    "event-pipeline",
    "dev",
    isPreview,
    "organization",
  );

const VOLUME = "event-pipeline-dev-kafka-data";

test("a state that is written in this moment is read again", async () => {
  vi.stubEnv("STORED_VOLUMES", `${VOLUME}\town\tirreplaceable`);
  await prepare(STATE);
  unreadable = 2;
  await expect(refuseLostData("dev", new Set())).rejects.toThrow("This change would delete");
});

test.each([
  [VOLUME, ["superset-secret-key-1", "superset-secret-key-2", "other"]],
  ["superset-secret-key-2", ["superset-secret-key-1", VOLUME]],
])("a program without %s, which the stack has, is refused", async (lost, declared) => {
  vi.stubEnv("STORED_VOLUMES", `${VOLUME}\town\tirreplaceable\nlogs\town\t`);
  await prepare(STATE);
  await expect(refuseLostData("dev", new Set(declared))).rejects.toThrow(
    new RegExp(`^This change would delete ${lost}, .*\n +hint: .*make clean`),
  );
  await refuseLostData("dev", new Set([...declared, lost]));
});

test.each([
  ["VOLUMES", "volume", {}, "own"],
  ["VOLUMES", "volume", BEGUN, "other"],
  ["CONTAINERS", "container", BEGUN, ""],
])(
  "a stack whose name has %s of another state is refused: %#",
  async (kinds, kind, state, owner) => {
    vi.stubEnv(`STORED_${kinds}`, `${VOLUME}\t${owner}\tirreplaceable`);
    await prepare(state);
    await expect(refuseLostData("dev", new Set([VOLUME]))).rejects.toThrow(
      new RegExp(
        `volumes of another stack dev, .*: ${kind} ${VOLUME}\n +hint: .*make clean STACK=dev FOREIGN=1`,
      ),
    );
  },
);

test("an engine that cannot list its volumes is refused, unless it is a preview", async () => {
  vi.stubEnv("STORED_VOLUMES", "broken");
  await prepare(STATE);
  const declared = new Set(["superset-secret-key-1", "superset-secret-key-2"]);
  await expect(refuseLostData("dev", declared)).rejects.toThrow(
    /^docker volume ls failed: .*\n +hint: /s,
  );
  await prepare(STATE, true);
  await refuseLostData("dev", declared);
});

test("nothing in the engine changes before the check, also without a preview", async () => {
  const state = Promise.withResolvers<object>();
  await prepare(state.promise);
  const run = pulumi.runtime.runInPulumiStack(async () => {
    const opts = wholeStackOptions("dev", { protectData: false });
    const parent = new pulumi.ComponentResource("test:index:Parent", "parent", {}, opts);
    new docker.Network("network", {}, { parent });
  });
  const before = ["event-pipeline-dev", "identity", "docker", "parent"];
  await vi.waitFor(() => expect(registered).toEqual(before));
  await new Promise(setImmediate);
  expect(registered).toEqual(before);
  state.resolve({});
  await run;
  await vi.waitFor(() => expect(registered).toEqual([...before, "network"]));
});

test("the error of the program stays as it is when properties wait for it", () => {
  const error = programError(new UserError("what is lost", "undo it"));
  error.message = `error serializing property "host": ${error.message}`;
  expect(error).toMatchObject({ message: "what is lost\n  hint: undo it", stack: error.message });
});
