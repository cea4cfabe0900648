import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { stackNames } from "../../components/shared/names.ts";
import { waitFor } from "../kafka/harness.ts";
import { shellBlocks } from "../support/page-blocks.ts";
import { LEVEL_STACKS } from "./level-stacks.ts";
import "./leftovers.ts";
import {
  belongings,
  count,
  docker,
  forgetState,
  login,
  logOf,
  operate,
  operateIn,
  printed,
  pulumi,
  ROOT,
  readSecrets,
  readText,
  recordedState,
  runPageBlock,
  services,
  writeFile,
} from "./operator.ts";

const STACK = LEVEL_STACKS.one;
const OTHER = LEVEL_STACKS.other;
const LIGHT = "test/stack/light.yaml";
const HTTP_PORT = 29_123;
const BROKER_PORT = 29_092;

const succeed = (stack: string, command: string, ...args: string[]): string => {
  const { code, text } = operate(stack, command, ...args);
  expect(code, text).toBe(0);
  return text;
};

const environmentOf = (role: string): string[] =>
  JSON.parse(docker("inspect", "--format", "{{json .Config.Env}}", services(STACK)[role] ?? ""));

type Settings = Readonly<Record<string, object>>;

/** Changes settings of the light configuration; returns a function that restores it. */
function configure(stack: string, settings: Settings): () => void {
  const file = `Pulumi.${stack}.yaml`;
  const present = existsSync(join(ROOT, file)) ? parse(readText(file)) : {};
  const { config } = parse(readText(LIGHT));
  const changed = Object.entries(settings).map(([service, values]) => {
    const key = `event-pipeline:${service}`;
    const isElsewhere = "mode" in values;
    return [key, isElsewhere ? values : { ...config[key], ...values }];
  });
  return writeFile(
    file,
    stringify({
      ...present,
      config: { ...present.config, ...config, ...Object.fromEntries(changed) },
    }),
  );
}

afterAll(() => {
  for (const stack of [OTHER, STACK]) operate(stack, "clean");
  forgetState();
});

/** Anonymous volumes that images declare and the services' containers mount. */
function anonymousVolumes(): string[] {
  const format = "{{range .Mounts}}{{.Name}} {{end}}";
  const mounted = docker("inspect", "--format", format, ...Object.values(services(STACK)));
  return mounted.split(/\s+/).filter((name) => /^[0-9a-f]{64}$/.test(name));
}

/** Those anonymous volumes that still exist. */
function remaining(names: readonly string[]): string[] {
  const present = docker("volume", "ls", "--quiet").split("\n");
  return names.filter((name) => present.includes(name));
}

/**
 * These tests depend on each other: each starts from the state that the previous one left. The
 * commands of the pages run with the light configuration.
 */
describe("a stack on a real engine", () => {
  test("comes up healthy", () => {
    for (const name of ["dev", "offline"]) writeFile(`Pulumi.${name}.yaml`, readText(LIGHT));
    runPageBlock(STACK, "docs/how-to/work-without-a-registry.md", 0);
    const ids = Object.values(services(STACK));
    expect(ids).toHaveLength(3);
    for (const id of ids) {
      expect(docker("inspect", "--format", "{{.State.Health.Status}}", id)).toBe("healthy");
    }
  });

  test("has an empty preview on the second start", () => {
    const before = services(STACK);
    expect(succeed(STACK, "up")).toMatch(/Resources:\s+\d+ unchanged\s/);
    expect(services(STACK)).toEqual(before);
  });

  test("uses the generator mode of the caller's environment for that run only", async () => {
    const before = services(STACK);
    const { code, text } = operateIn({ GEN_PROFILE: "daily-wave" }, STACK, "generator", "on");
    expect(code, text).toBe(0);
    await expect
      .poll(() => count(STACK, "stg.browser_raw", HTTP_PORT), { timeout: 300_000, interval: 2_000 })
      .toBeGreaterThan(0);
    expect(environmentOf("generator")).toContain("GEN_PROFILE=daily-wave");
    runPageBlock(STACK, "docs/tutorial/first-hour.md", 2);
    expect(environmentOf("generator")).not.toContain("GEN_PROFILE=daily-wave");
    expect(environmentOf("generator")).toContain("GEN_ENABLED=false");
    expect(services(STACK)).toMatchObject({ broker: before.broker, database: before.database });
  });

  test("carries data from a load to the marts, with every message accounted for", async () => {
    succeed(STACK, "run", "ddl");
    succeed(STACK, "run", "data", "--limit", "500");
    succeed(STACK, "run", "transform");
    runPageBlock(STACK, "docs/how-to/work-without-a-registry.md", 1, { offline: STACK });
    expect(await count(STACK, "dds.event", HTTP_PORT)).toBeGreaterThan(400);
  });

  test("loads a data set of the user", async () => {
    const page = "docs/how-to/load-your-own-clickstream.md";
    const files = join(ROOT, "my-files");
    const written = shellBlocks(page, "here").find(({ code }) => code.includes("my-files"));
    const code = written?.code.replaceAll("/tmp/my-files", files) ?? "exit 1";
    expect(spawnSync("sh", ["-e", "-c", code]).status).toBe(0);
    const before = await count(STACK, "dds.event", HTTP_PORT);
    runPageBlock(STACK, page, 0, { "/tmp/my-files": files });
    expect(await count(STACK, "dds.event", HTTP_PORT)).toBe(before + 2);
  });

  test("hides its secrets: in state, outputs, inspection, logs and terminal", () => {
    const ids = Object.values(services(STACK));
    const places = [recordedState(), docker("inspect", ...ids), ...ids.map(logOf), printed()];
    const everything = places.join("\n");
    expect(places.every((text) => text.length > 0)).toBe(true);
    for (const [name, value] of Object.entries(readSecrets(STACK))) {
      expect(everything.includes(value), name).toBe(false);
    }
  });

  test("applies a changed file without a restart", async () => {
    const before = services(STACK);
    const previous = readSecrets(STACK).biPassword ?? "";
    expect(await login("bi", previous, HTTP_PORT)).toBe(200);
    const text = runPageBlock(STACK, "docs/how-to/rotate-secrets.md", 1, {
      adminPassword: "biPassword another-password-of-bi",
    });
    expect(text).toMatch(/database-users-loader\s+(created )?replace/);
    expect(text).not.toMatch(/database-reopen\s+updat/);
    expect(services(STACK)).toEqual(before);
    expect(await login("bi", "another-password-of-bi", HTTP_PORT)).toBe(200);
    expect(await login("bi", previous, HTTP_PORT)).toBe(403);
  });

  test("applies a secret that plain pulumi replaces, in every service", async () => {
    const previous = readSecrets(STACK);
    const broker = services(STACK).broker;
    runPageBlock(STACK, "docs/how-to/rotate-secrets.md", 0, {
      "'**::NAME'": "'**::database-password' --replace '**::generator-control-token'",
    });
    const { databasePassword = "", controlToken } = readSecrets(STACK);
    expect(databasePassword).not.toBe(previous.databasePassword);
    expect(controlToken).not.toBe(previous.controlToken);
    expect(await login("default", databasePassword, HTTP_PORT)).toBe(200);
    expect(await login("default", previous.databasePassword ?? "", HTTP_PORT)).toBe(403);
    succeed(STACK, "run", "--", "generator", "status");
    expect(services(STACK).broker).toBe(broker);
  });

  test("removes files that the program no longer declares", () => {
    const files = (): string =>
      docker("exec", services(STACK).database ?? "", "ls", "/etc/clickhouse-server/config.d");
    const extra = '{ path: "40-extra.yaml", content: "max_connections: 77\\n" }';
    const source = "components/database/spec.ts";
    const declared = "startFile, ofBroker]";
    expect(readText(source)).toContain(declared);
    const undo = writeFile(
      source,
      readText(source).replace(declared, `startFile, ofBroker, ${extra}]`),
    );
    succeed(STACK, "up");
    undo();
    expect(files()).toContain("40-extra.yaml");
    succeed(STACK, "up");
    expect(files()).toContain("10-server.yaml");
    expect(files()).not.toContain("40-extra.yaml");
  });

  test("is the same stack for plain pulumi", () => {
    expect(pulumi(STACK, "preview", "--expect-no-changes")).toMatch(/\d+ unchanged/);
  });

  test("re-creates a killed container", () => {
    docker("kill", services(STACK).broker ?? "");
    expect(services(STACK).broker).toBeUndefined();
    succeed(STACK, "up");
    expect(services(STACK).broker).toBeDefined();
  });

  test("restarts a service that has exited", async () => {
    const id = services(STACK).generator ?? "";
    // Detached, because the container ends before the command could report success.
    docker("exec", "--detach", id, "node", "-e", "process.kill(1)");
    await waitFor("it has started again", async () => {
      const state = docker("inspect", "--format", "{{.RestartCount}} {{.State.Running}}", id);
      return state === "1 true";
    });
  });

  test("re-creates the generator alone on request", () => {
    const { generator, ...others } = services(STACK);
    succeed(STACK, "generator", "restart");
    const after = services(STACK);
    expect(after.generator).toBeDefined();
    expect(after.generator).not.toBe(generator);
    expect(after).toMatchObject(others);
  });

  test("re-creates a removed network", () => {
    const network = stackNames(STACK).network;
    const before = anonymousVolumes();
    for (const id of Object.values(services(STACK))) {
      docker("network", "disconnect", "--force", network, id);
    }
    docker("network", "rm", network);
    succeed(STACK, "up");
    expect(remaining(before)).toEqual([]);
    expect(docker("network", "ls", "--quiet", "--filter", `name=^${network}$`)).not.toBe("");
    expect(Object.keys(services(STACK)).sort()).toEqual(["broker", "database", "generator"]);
  });

  test("keeps its data through down and up", async () => {
    const before = await count(STACK, "dds.event", HTTP_PORT);
    succeed(STACK, "down");
    expect(services(STACK)).toEqual({});
    succeed(STACK, "up");
    expect(await count(STACK, "dds.event", HTTP_PORT)).toBe(before);
  });

  test("previews a change as Pulumi does", () => {
    const undo = configure(STACK, { database: { memoryMiB: 2304 } });
    const text = succeed(STACK, "preview");
    undo();
    // The engine changes a limit of a running container.
    expect(text).toMatch(/~ memory *: 2048 => 2304\n/);
    expect(text).toMatch(/~ 1 to update\n +\d+ unchanged/);
    expect(text).not.toContain("Data at risk");
  });

  test("refuses a change that would delete a volume, and changes nothing", () => {
    const before = services(STACK);
    const undo = configure(STACK, {
      broker: { mode: "external", bootstrap: "b.example:1", security: { tls: false } },
    });
    const { code, text } = operate(STACK, "up");
    undo();
    expect(code).toBe(1);
    expect(text).toMatch(
      /delete the data in event-pipeline-stack-test-one-kafka-data, kept with broker\.mode.*\. Nothing/,
    );
    expect(services(STACK)).toEqual(before);
    succeed(STACK, "up");
    expect(services(STACK)).toEqual(before);
  });

  test("names the process on a taken port and a free range of ports", () => {
    const { code, text } = operate(OTHER, "up", "--config", LIGHT, "--offset", "20000");
    expect(code).toBe(1);
    expect(text).toContain("taken by container event-pipeline-stack-test-one-");
    expect(text).toMatch(/OFFSET=\d+000/);
  });

  test("serves another stack as its external broker and database", () => {
    const page = "docs/how-to/use-your-own-kafka-or-clickhouse.md";
    runPageBlock(OTHER, page, 0, { mine: OTHER });
    configure(OTHER, {
      generator: { deploy: false },
      broker: {
        mode: "external",
        bootstrap: "kafka:29092",
        hostBootstrap: `localhost:${BROKER_PORT}`,
        security: { tls: false },
      },
      database: { mode: "external", url: `http://127.0.0.1:${HTTP_PORT}` },
    });
    runPageBlock(OTHER, page, 1, {
      mine: OTHER,
      brokerPassword: "brokerPassword unused",
      databasePassword: `databasePassword ${readSecrets(STACK).databasePassword}`,
    });
    const text = runPageBlock(OTHER, page, 2, { mine: OTHER });
    expect(text).toContain(`http://127.0.0.1:${HTTP_PORT}`);
    expect(services(OTHER)).toEqual({});
    succeed(OTHER, "clean");
    rmSync(join(ROOT, `Pulumi.${OTHER}.yaml`), { force: true });
  });

  test("runs beside another stack that shares nothing with it", () => {
    const before = services(STACK);
    const page = "docs/how-to/run-a-second-stack.md";
    runPageBlock(OTHER, page, 0, {
      "OFFSET=1000": "OFFSET=21000",
      // The light configuration writes no history.
      "make prove": "make data STACK=second\nmake transform STACK=second\nmake prove",
      second: OTHER,
    });
    expect(Object.keys(services(OTHER)).sort()).toEqual(["broker", "database", "generator"]);
    runPageBlock(OTHER, page, 1, { second: OTHER });
    expect(belongings(OTHER)).toEqual([]);
    expect(services(STACK)).toEqual(before);
  });

  test("passes make doctor", () => {
    const findings = JSON.parse(succeed(STACK, "doctor", "--json")) as { status: string }[];
    expect(findings.filter(({ status }) => status === "fail")).toEqual([]);
    runPageBlock(STACK, "docs/how-to/recover/README.md", 0, {
      // `make logs` follows the log until it is interrupted.
      "make logs SERVICE=database": "timeout 15 make logs SERVICE=database || [ $? = 124 ]",
    });
  });

  test("leaves nothing behind after clean", () => {
    const anonymous = anonymousVolumes();
    runPageBlock(STACK, "docs/tutorial/first-hour.md", 5, { dev: STACK });
    expect(belongings(STACK)).toEqual([]);
    expect(remaining(anonymous)).toEqual([]);
  });
});
