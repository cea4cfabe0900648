import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clickhouseConfig } from "../../../components/clickhouse/config.ts";
import type { StackConfig } from "../../../components/config.ts";
import { withDigest } from "../../../components/shared/image-lock.ts";
import { UserError } from "../../../contract/errors.ts";
import { FakePulumi, fakeModule } from "./fake-pulumi.ts";
import { emptyRoot, readConfig, writeConfig } from "./own-root.ts";

let pulumi: FakePulumi;
let isReady: boolean;
/** Status of Grafana in the engine; undefined without one. */
let grafana: string | undefined;
/** Status of ClickHouse in the engine; undefined without one. */
let clickhouse: string | undefined;
const runOnStack = vi.hoisted(() => vi.fn());
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({
  ownedObjects: async () => [],
  serviceRows: async () => [
    ...(grafana ? [["grafana", grafana]] : []),
    ...(clickhouse ? [["clickhouse", clickhouse]] : []),
  ],
}));
vi.mock("../../../stack/lifecycle/pulumi.ts", () => fakeModule(() => pulumi));
vi.mock("../../../stack/doctor/doctor.ts", () => ({
  requireReady: async (_: string, { network }: StackConfig) => {
    if (!isReady) throw new UserError(`taken, with ${network.portOffset}`);
  },
}));
vi.mock("../../../stack/lifecycle/client.ts", () => ({ runOnStack }));
const { init } = await import("../../../stack/lifecycle/init.ts");
const { preview, setGenerator, up } = await import("../../../stack/lifecycle/up.ts");

const { image } = clickhouseConfig.parse({}) as { image: string };

const root = emptyRoot();
const file = (name = "mine") => join(root(), `Pulumi.${name}.yaml`);
const said = vi.spyOn(console, "error").mockImplementation(() => undefined);

beforeEach(() => {
  pulumi = new FakePulumi();
  pulumi.record("mine");
  isReady = true;
  grafana = undefined;
  clickhouse = "Up 2 minutes (healthy)";
  runOnStack.mockReset();
  writeConfig(file(), { mode: "live" });
});

const DASHBOARD = "urn::grafana:oss/dashboard:Dashboard::dashboard";
const holdsDashboard = (): void => {
  pulumi.holds("grafana");
  pulumi.state.resources.push({ urn: DASHBOARD, type: "grafana:oss/dashboard:Dashboard" });
};

describe("a start", () => {
  describe("with another image of ClickHouse", () => {
    const holdsImage = (name: string) =>
      pulumi.state.resources.push({ urn: "urn::clickhouse-image", inputs: { name } });

    test.each([
      ["clickhouse/clickhouse-server:26.7.1.1", ["snapshot"]],
      [withDigest(image), undefined],
      [image, undefined],
    ])("keeps the data of %s", async (recorded, snapshot) => {
      holdsImage(recorded);
      runOnStack.mockResolvedValue(0);
      await up("mine");
      expect(runOnStack.mock.calls.map(([, args]) => args)).toEqual(snapshot ? [snapshot] : []);
      expect(pulumi.done.at(-1)).toBe("up");
    });

    test("goes back from an image that does not run", async () => {
      holdsImage("event-pipeline/not-clickhouse:1");
      clickhouse = "Restarting (1) 2 seconds ago";
      await up("mine");
      expect(runOnStack).not.toHaveBeenCalled();
      expect(pulumi.done.at(-1)).toBe("up");
      expect(said).toHaveBeenCalledWith(expect.stringContaining("without a snapshot"));
    });

    test("changes nothing if the data cannot be kept", async () => {
      holdsImage("clickhouse/clickhouse-server:26.7.1.1");
      runOnStack.mockResolvedValue(1);
      await expect(up("mine")).rejects.toThrow("No snapshot could be made");
      expect(pulumi.done).toEqual([]);
    });
  });

  test("of a stack without resources runs one Pulumi operation", async () => {
    await up("mine");
    expect(pulumi.done).toEqual(["up"]);
  });

  test("ends with a comparison, so that the next preview shows only changes", async () => {
    await up("mine");
    expect(pulumi.isCompared).toBe(true);
  });

  test.each([
    ["Up 2 minutes (healthy)", ""],
    ["Up 3 seconds (health: starting)", ` --exclude ${DASHBOARD}`],
    ["Up 2 minutes (unhealthy)", ` --exclude ${DASHBOARD}`],
    ["Exited (0) 2 minutes ago", ` --exclude ${DASHBOARD}`],
  ])("refreshes Grafana's content if Grafana is %s", async (status, excluded) => {
    holdsDashboard();
    grafana = status;
    await up("mine");
    expect(pulumi.done).toEqual([`refresh --clear-pending-creates${excluded}`, "up"]);
  });

  test("writes its settings into the stack's configuration", async () => {
    await up("mine", { offset: 100, mode: "bare" });
    expect(readConfig(file())).toEqual({
      network: { portOffset: 100 },
      mode: "bare",
      generator: { enabled: false },
    });
  });
});

describe("a preview", () => {
  test("refreshes as a start does, and says what it did not compare", async () => {
    await preview("mine", {});
    expect(pulumi.done).toEqual(["preview --diff --refresh"]);
    holdsDashboard();
    await preview("mine", {});
    expect(pulumi.done[1]).toBe(`preview --diff --refresh --exclude ${DASHBOARD}`);
    expect(said).toHaveBeenLastCalledWith(expect.stringContaining("its content was not compared"));
  });
});

describe("a start with refused settings writes nothing", () => {
  const KAFKA = { kafka: { port: 40_000 } };
  const isTaken = () => {
    isReady = false;
  };

  test.each([
    [() => {}, () => up("mine", { offset: 30_000 }), "network.portOffset is 70000"],
    [isTaken, () => up("mine", { offset: 1000 }), "taken, with 1000"],
  ])("case %#", async (arrange, start, message) => {
    writeConfig(file(), KAFKA);
    arrange();
    await expect(start()).rejects.toThrow(message);
    expect(readConfig(file())).toEqual(KAFKA);
    expect(pulumi.done).not.toContain("up");
  });
});

describe("a new stack", () => {
  test("is not created with a wrong setting, so that a correct CONFIG= applies", async () => {
    writeConfig(file("wrong"), { mode: "lively" });
    for (const start of [up, init]) {
      await expect(start("new", { config: "wrong" })).rejects.toThrow("must be live or bare");
    }
    isReady = false;
    await expect(up("new")).rejects.toThrow("taken");
    expect(existsSync(file("new"))).toBe(false);
    expect(pulumi.stacks.map(({ name }) => name)).toEqual(["mine"]);
  });

  test("is created by make init before its secrets are set", async () => {
    writeConfig(file("own"), {
      kafka: { mode: "external", bootstrap: "b:9092" },
      clickhouse: { mode: "external", url: "https://db:8443" },
    });
    await expect(up("new", { config: "own" })).rejects.toThrow("clickhousePassword");
    await init("new", { config: "own", offset: 10 });
    expect(readConfig(file("new"))).toMatchObject({
      clickhouse: { url: "https://db:8443" },
      network: { portOffset: 10 },
    });
  });
});

describe("the generator's state", () => {
  test("is a setting, and on only if the generator publishes, as the command says", async () => {
    expect(await setGenerator("mine", "off")).toBe(0);
    expect(readConfig(file())).toMatchObject({ generator: { enabled: false } });
    expect(runOnStack).not.toHaveBeenCalled();
    runOnStack.mockResolvedValue(1);
    expect(await setGenerator("mine", "on")).toBe(1);
    expect(readConfig(file())).toMatchObject({ generator: { enabled: true } });
    expect(runOnStack.mock.calls).toEqual([["mine", ["generator", "resume", "--wait", "900"]]]);
  });

  test("needs a stack that exists", async () => {
    await expect(setGenerator("typo", "on")).rejects.toThrow("There is no stack typo");
  });
});
