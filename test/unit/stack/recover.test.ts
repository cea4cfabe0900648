import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ownership } from "../../../pipeline/stack/labels.ts";
import { stackNames } from "../../../pipeline/stack/names.ts";
import { networkTexts } from "../../../pipeline/stack/plan/network.ts";
import { ownState } from "./own-state.ts";

/** What is recorded, and what the container engine holds. */
let resources: object[];
let pending: object[];
let present: Record<string, { id: string; name: string; owner: string }[]>;
let removed: string[];
vi.mock("../../../pipeline/stack/manage/docker.ts", () => ({
  removeContainers: async (all: { name: string }[]) =>
    void removed.push(...all.map(({ name }) => name)),
  owned: async (kind: string) => present[kind] ?? [],
}));
vi.mock("../../../pipeline/stack/manage/pulumi.ts", async (original) => ({
  ...(await original<object>()),
  pulumiText: async () =>
    JSON.stringify({ deployment: { resources, pending_operations: pending } }),
}));
const { recover } = await import("../../../pipeline/stack/manage/recover.ts");
const { previewWith } = await import("../../../pipeline/stack/manage/preview-of.ts");
const { restoreNetwork } = await import("../../../pipeline/stack/manage/restore-network.ts");
const { beginRun, endRun } = await import("../../../pipeline/stack/manage/under-way.ts");
const { readOwner } = await import("../../../pipeline/stack/state.ts");

const folder = ownState();

beforeEach(() => {
  resources = [];
  pending = [];
  present = {};
  removed = [];
});

const URN =
  "urn:pulumi:one::event-pipeline::eventpipeline:network:StackNetwork$command:local:Command::network";
const RECORDED = [{ urn: URN, id: "network1" }];

/** A `docker` of this test's own: writes down what it is asked, lists a network, refuses on demand. */
function engine(refusal = "", listed = ""): () => string {
  const log = join(folder(), "asked");
  const words = refusal ? `echo '${refusal}' >&2; exit 1` : ":";
  writeFileSync(
    join(folder(), "docker"),
    `#!/bin/bash\necho "$*" >> '${log}'\n[ "$2" = ls ] && { echo '${listed}'; exit; }; [ "$2" = rm ] || { ${words}; }\n`,
    { mode: 0o755 },
  );
  vi.stubEnv("PATH", `${folder()}:${process.env.PATH}`);
  // As where no shell has come before, a unit of systemd for one: there bash looks for a remote login.
  vi.stubEnv("SHLVL", "0");
  return () => (existsSync(log) ? readFileSync(log, "utf8") : "");
}

test("a recorded network that has gone is made again, and who was in it starts anew", async () => {
  const asked = engine();
  present = { container: [{ id: "c1", name: "event-pipeline-one-kafka", owner: readOwner() }] };
  await restoreNetwork("one", RECORDED);
  expect(asked()).toMatch(
    /^network create .*--label event-pipeline.stack=one .*event-pipeline-one$/m,
  );
  expect(removed).toEqual(["event-pipeline-one-kafka"]);
});

const shell = (text: string): Buffer =>
  execFileSync("/bin/bash", ["-euo", "pipefail", "-c", text], { stdio: "pipe" });

test.each([
  ["is there", RECORDED, [{ id: "n", name: "event-pipeline-one", owner: "x" }]],
  ["was never made", [], []],
])("a network that %s is left alone", async (_, recorded, network) => {
  const asked = engine();
  present = { network };
  await restoreNetwork("one", recorded);
  expect([asked(), ...removed]).toEqual([""]);
});

test("what the engine says when a network cannot be made is told", async () => {
  engine("all predefined address pools are taken");
  await expect(restoreNetwork("one", RECORDED)).rejects.toThrow(/network.*address pools are taken/);
});

test.each([
  ["", "", /^network create[^\n]*\n$/, /^(?!.*network rm)/s],
  ["n1", "network with that name already exists", /^network ls/m, /^network rm n1$/m],
])(
  "the texts about a network make it where it is not (%s), remove it, and may be repeated",
  (listed, refused, made, gone) => {
    const { create, remove } = networkTexts(stackNames("one"), ownership("one"));
    const asked = engine(refused, listed);
    shell(create);
    expect(asked()).toMatch(made);
    shell(create);
    for (const text of [remove, remove]) shell(text);
    expect(asked()).toMatch(gone);
  },
);

test("one of its name that is not the stack's is refused in the engine's words", () => {
  engine("network with that name already exists", "");
  const { create } = networkTexts(stackNames("one"), ownership("one"));
  expect(() => shell(create)).toThrow(/already exists/);
});

test("a network of a start that was cut off stays", async () => {
  present = { network: [{ id: "n", name: "event-pipeline-one", owner: readOwner() }] };
  await recover("one");
  expect(removed).toEqual([]);
});

test.each(["container", "network", "volume"])(
  "another checkout's %s is refused, with its maker's mark",
  async (kind) => {
    present = { [kind]: [{ id: "x", name: "event-pipeline-one-x", owner: "somebody" }] };
    await expect(recover("one")).rejects.toMatchObject({
      message: expect.stringMatching(
        `this checkout does not know.*${kind} event-pipeline-one-x.*holds somebody`,
      ),
      next: expect.stringContaining("make clean STACK=one FOREIGN=1"),
    });
    expect(removed).toEqual([]);
  },
);

test.each(["container", "volume"])(
  "a preview is refused by a %s as well: what it shows would not come to be",
  async (kind) => {
    present = { [kind]: [{ id: "x", name: "event-pipeline-one-kafka", owner: "somebody" }] };
    const preview = previewWith("one", { config: "dev" });
    await expect(preview).rejects.toThrow(/this checkout does not know/);
  },
);

test("a network that is recorded is ours, whatever its label says", async () => {
  resources = RECORDED;
  present = { network: [{ id: "n", name: "event-pipeline-one", owner: "pulumi" }] };
  await expect(recover("one")).resolves.toEqual(resources);
});

const DATA = "event-pipeline-one-kafka-data";
const dataOf = (owner: string) => ({ volume: [{ id: DATA, name: DATA, owner }] });

test("of many foreign parts the data are named first", async () => {
  const files = Array.from({ length: 20 }, (_, index) => `event-pipeline-one-files-${index}`);
  const volumes = [...files, DATA].map((name) => ({ id: name, name, owner: "somebody" }));
  present = { volume: volumes };
  await expect(recover("one")).rejects.toThrow(
    new RegExp(`\\(volume ${DATA}, .* and 13 more\\), made by`),
  );
});

test("volumes of a start of ours that was cut off are taken up, recorded ones are ours", async () => {
  present = dataOf(readOwner());
  await expect(recover("one")).resolves.toEqual([]);
  resources = [{ urn: "urn:volume", id: DATA }];
  present = dataOf("somebody");
  await expect(recover("one")).resolves.toEqual(resources);
});

test("who touches no data is not refused for another's", async () => {
  present = dataOf("somebody");
  await expect(recover("one", ["container", "network"])).resolves.toEqual([]);
});

describe("containers of this checkout that nobody recorded", () => {
  const NAME = "event-pipeline-one-kafka";
  beforeEach(() => {
    present = { container: [{ id: "x", name: NAME, owner: readOwner() }] };
  });

  test("stay where no run of ours was cut off: another backend may record them", async () => {
    beginRun("one");
    endRun("one");
    await expect(recover("one")).rejects.toMatchObject({
      message: expect.stringMatching(`^Containers of the stack one .*${NAME}`),
      next: expect.stringMatching(/pulumi destroy.*docker rm --force/),
    });
    expect(removed).toEqual([]);
  });

  test("go where one was", async () => {
    beginRun("one");
    await recover("one");
    expect(removed).toEqual([NAME]);
  });

  test("go where Pulumi has operations on record that nobody finished", async () => {
    pending = [{ type: "creating" }];
    await recover("one");
    expect(removed).toEqual([NAME]);
  });
});
