import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { quote } from "../../../terminal/shell.ts";
import { copyOf, emptyRoot } from "./own-root.ts";

vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({
  pulumiProgram: async () => "/pulumi/bin/pulumi",
}));
const { pulumiEnvironment } = await import("../../../stack/lifecycle/workspace.ts");
const {
  COMMITTED,
  changedSource,
  configWith,
  projectValues,
  removeMadeFile,
  stackFile,
  writeStackFile,
} = await import("../../../stack/lifecycle/stack-file.ts");

const root = emptyRoot();
const write = (name: string, text: string) => writeFileSync(join(root(), name), text);

test("a stack without a file has no settings", () => {
  expect(projectValues("dev")).toEqual(new Map());
});

test("settings of the project are read as the text that Pulumi passes to the program", () => {
  write(
    "Pulumi.dev.yaml",
    "config:\n  other:key: 1\n  event-pipeline:mode: bare\n  event-pipeline:kafkaPassword:\n    secure: x\n",
  );
  expect(projectValues("dev").get("mode")).toEqual({ text: "bare", isEncrypted: false });
  expect(projectValues("dev").get("kafkaPassword")?.isEncrypted).toBe(true);
  expect([...projectValues("dev").keys()]).toEqual(["mode", "kafkaPassword"]);
});

test("a block written as JSON text keeps its other settings", () => {
  write("Pulumi.dev.yaml", `config:\n  event-pipeline:network: '{"bind":"0.0.0.0"}'\n`);
  const text = configWith("dev", undefined, [["network.portOffset", 5]]);
  expect(parse(text).config).toEqual({
    "event-pipeline:network": { bind: "0.0.0.0", portOffset: 5 },
  });
});

describe("the file of a new stack", () => {
  const SALTED = "encryptionsalt: v1\nconfig:\n  event-pipeline:mode: live # kept\n";

  test("is a copy of a configuration without its encryption, and names its origin", () => {
    write("Pulumi.offline.yaml", SALTED);
    const text = configWith("one", "offline", []);
    expect(parse(text)).toEqual({ config: { "event-pipeline:mode": "live" } });
    expect(text).toMatch(/^# Created by make from Pulumi\.offline\.yaml [0-9a-f]{16}; make clean /);
    expect(text).toContain("live # kept");
  });

  test("is a copy of the committed configuration of its name, in the state folder", () => {
    write("Pulumi.offline.yaml", SALTED);
    writeStackFile("offline", configWith("offline", "offline", [["mode", "bare"]]));
    expect(stackFile("offline")).toBe(copyOf("offline"));
    expect(parse(readFileSync(copyOf("offline"), "utf8"))).toEqual({
      encryptionsalt: "v1",
      config: { "event-pipeline:mode": "bare" },
    });
    expect(readFileSync(join(root(), "Pulumi.offline.yaml"), "utf8")).toBe(SALTED);
    // Another stack copies the committed settings, and a copy of a copy names its origin once.
    expect(parse(configWith("second", "offline", [])).config).toEqual({
      "event-pipeline:mode": "live",
    });
    const again = configWith("second", ".state/stacks/offline/Pulumi.offline.yaml", []);
    expect(again.match(/Created by make.*/g)).toEqual([
      expect.stringContaining("from .state/stacks/offline/Pulumi.offline.yaml"),
    ]);
  });

  test("is empty without a configuration, and needs a given one to exist", () => {
    expect(parse(configWith("one", undefined, []))).toBeNull();
    const text = configWith("one", undefined, [["network.portOffset", 5]]);
    expect(parse(text)).toEqual({ config: { "event-pipeline:network": { portOffset: 5 } } });
    const missing = /no configuration .*Pulumi\.offlin\.yaml/;
    expect(() => configWith("one", "offlin", [])).toThrow(missing);
  });
});

test("a stack with a file keeps it, with its comments", () => {
  write("Pulumi.offline.yaml", "config:\n  event-pipeline:mode: live\n");
  write("Pulumi.one.yaml", "config:\n  event-pipeline:mode: bare # kept\n");
  expect(configWith("one", "offline", [])).toBe("config:\n  event-pipeline:mode: bare # kept\n");
  expect(configWith("one", "offline", [["network.portOffset", 5]])).toContain("bare # kept\n");
});

test("a file that make created warns of a changed original, and is removed unless the user has made it their own", () => {
  write("Pulumi.offline.yaml", "config:\n  event-pipeline:mode: live\n");
  writeStackFile("one", configWith("one", "offline", []));
  expect(changedSource("one")).toBeUndefined();
  write("Pulumi.offline.yaml", "config:\n  event-pipeline:mode: bare\n");
  expect(changedSource("one")).toBe(
    "Pulumi.offline.yaml has changed since the stack one copied it, and the stack uses its copy. hint: make the change in Pulumi.one.yaml, too",
  );
  const [, ...own] = readFileSync(stackFile("one"), "utf8").split("\n");
  removeMadeFile("one");
  expect(existsSync(stackFile("one"))).toBe(false);
  write("Pulumi.one.yaml", own.join("\n"));
  removeMadeFile("one");
  expect(existsSync(stackFile("one"))).toBe(true);
});

test("the committed configurations are those that git does not ignore", () => {
  const ignored = readFileSync(join(import.meta.dirname, "../../../.gitignore"), "utf8");
  const names = [...ignored.matchAll(/^!Pulumi\.(.+)\.yaml$/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual([...COMMITTED]);
});

describe("a generated passphrase", () => {
  const passphrase = () => join(root(), ".state/stacks/dev/passphrase");
  const committed = () => join(root(), "Pulumi.dev.yaml");
  const SALT = "encryptionsalt: v1:x:y\n";

  beforeEach(() => {
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE", undefined);
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE_FILE", undefined);
  });
  afterEach(() => void vi.unstubAllEnvs());

  test.each([
    ["", () => `run sed -i.bak '/^encryptionsalt:/d' ${quote(committed())}`],
    [
      "config:\n  event-pipeline:kafkaPassword:\n    secure: x\n",
      () => `remove encryptionsalt and kafkaPassword from ${committed()}`,
    ],
  ])(
    "is not generated again for a file that the lost one has encrypted: %j",
    async (more, start) => {
      write("Pulumi.dev.yaml", `${SALT}${more}`);
      await expect(pulumiEnvironment("dev")).rejects.toMatchObject({
        name: "UserError",
        message: `The passphrase of ${committed()} is neither in ${passphrase()} nor in PULUMI_CONFIG_PASSPHRASE`,
        hint: `restore it; or, if it is lost, ${start()}, then retry`,
      });
      expect(existsSync(passphrase())).toBe(false);
    },
  );

  test("is used again while it exists", async () => {
    await pulumiEnvironment("dev");
    write("Pulumi.dev.yaml", SALT);
    const expected = { PULUMI_CONFIG_PASSPHRASE_FILE: passphrase() };
    expect(await pulumiEnvironment("dev")).toMatchObject(expected);
  });

  test("is not needed beside the user's own", async () => {
    write("Pulumi.dev.yaml", SALT);
    vi.stubEnv("PULUMI_CONFIG_PASSPHRASE", "own");
    expect(await pulumiEnvironment("dev")).not.toHaveProperty("PULUMI_CONFIG_PASSPHRASE_FILE");
  });
});
