import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config-rules.ts";
import { UserError } from "../../../contract/errors.ts";
import { emptyRoot } from "./own-root.ts";

/** Properties of the engine, its location, and the stack's settings. */
let info: Record<string, unknown>;
let engine: string;
let config: Record<string, unknown>;

/** Every port is below the system's outgoing ports. */
const network = { portOffset: 22_000 };

vi.mock("../../../terminal/docker.ts", async (original) => ({
  ...(await original<object>()),
  runDocker: async () => JSON.stringify({ ...info, SystemTime: timeOf(info) }),
  dockerRows: async () => [],
}));
vi.mock("../../../components/shared/engine.ts", async (original) => ({
  ...(await original<object>()),
  dockerEndpoint: () => ({ host: engine }),
}));
const resolve = vi.hoisted(() => vi.fn());
const isPulumiInstalled = vi.hoisted(() => vi.fn());
vi.mock("../../../stack/lifecycle/pulumi-program.ts", () => ({ isPulumiInstalled }));
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  resolveStackName: resolve,
  isRecorded: async () => true,
  openStack: async () => ({ name: "dev" }),
  hasWrongSalt: async () => isSaltWrong,
}));
vi.mock("../../../stack/lifecycle/recover.ts", () => ({ identityOf: async () => undefined }));
vi.mock("../../../stack/lifecycle/local-config.ts", () => ({
  configOf: async () => parseStackConfig(config),
}));
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
const { examine, requireReady } = await import("../../../stack/doctor/doctor.ts");

const timeOf = ({ skewMs }: typeof info): string =>
  new Date(Date.now() + Number(skewMs)).toISOString();

let said = "";
let isSaltWrong = false;
const root = emptyRoot();
beforeEach(() => {
  info = { ServerVersion: "28.0.1", MemTotal: 16 * 1024 ** 3, DockerRootDir: "/none", skewMs: 0 };
  engine = "unix:///var/run/docker.sock";
  config = { network };
  said = "";
  vi.spyOn(console, "error").mockImplementation((text) => {
    said += text;
  });
});
afterEach(() => vi.restoreAllMocks());

test("a start that may fail is warned about, with hints, and not refused", async () => {
  Object.assign(info, { MemTotal: 4 * 1024 ** 3, skewMs: 60_000 });
  await requireReady("dev", parseStackConfig(config));
  expect(said).toMatch(/^warn {2}memory +limits add up to .* MiB, the engine has 4,096 MiB$/m);
  expect(said).toMatch(/^warn {2}clock +containers are off by 60 s$/m);
  expect(said.match(/^ +hint: /gm)).toHaveLength(2);
});

test("taken ports refuse the start, unless the engine is on another machine", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(31_092, "127.0.0.1", resolve));
  try {
    await expect(requireReady("dev", parseStackConfig(config))).rejects.toMatchObject({
      message: expect.stringContaining("port 31092: kafka.port is taken by"),
      hint: expect.stringContaining("OFFSET=23000"),
    });
    engine = "ssh://user@build.example";
    config = { network: { ...network, bind: "0.0.0.0", host: "build.example" } };
    await requireReady("dev", parseStackConfig(config));
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test("an engine that does not answer is named with a hint, instead of what depends on it", async () => {
  info = {
    ...info,
    get ServerVersion() {
      throw new UserError("The Docker engine does not answer", "start Docker");
    },
  };
  await expect(requireReady("dev", parseStackConfig(config))).rejects.toMatchObject({
    message: "The Docker engine does not answer",
    hint: "start Docker",
  });
});

test("make doctor names the line that a wrong passphrase of plain pulumi has written", async () => {
  isPulumiInstalled.mockReturnValue(true);
  writeFileSync(join(root(), "Pulumi.dev.yaml"), "config: {}\nencryptionsalt: v1:x:y\n");
  const findings = async () => await examine(() => undefined, "dev");
  expect((await findings()).find(({ check }) => check === "stack")?.status).toBe("ok");
  isSaltWrong = true;
  expect((await findings()).find(({ check }) => check === "stack")).toMatchObject({
    status: "fail",
    hint: "remove this line from Pulumi.dev.yaml: encryptionsalt: v1:x:y",
  });
});

test("make doctor shows the machine before it asks Pulumi, and downloads nothing", async () => {
  const shown: string[][] = [];
  const show = (findings: readonly { readonly check: string }[]) =>
    void shown.push(findings.map(({ check }) => check));
  isPulumiInstalled.mockReturnValue(true);
  resolve.mockImplementation(async () => {
    expect(shown).toEqual([["docker", "clock"], ["pulumi"]]);
    return "dev";
  });
  await examine(show);
  expect(shown[2]).toEqual(["stack", "memory", "images", "ports"]);
  resolve.mockClear();
  isPulumiInstalled.mockReturnValue(false);
  const found = await examine(show);
  expect(found.find(({ check }) => check === "pulumi")?.hint).toBe(
    "run make up, which downloads it",
  );
  expect(found.at(-1)?.check).toBe("ports");
  expect(resolve).not.toHaveBeenCalled();
});
