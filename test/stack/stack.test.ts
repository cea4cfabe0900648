import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { stackNames } from "../../components/shared/names.ts";
import { until } from "../kafka/harness.ts";
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
  services,
  setSecret,
  writeFile,
} from "./operator.ts";

const STACK = "level-one";
const OTHER = "level-two";
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

/** Gives a stack the light configuration with other settings; returns what takes them back. */
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

/** Volumes without a name that images declare and the services' containers mount. */
function anonymousVolumes(): string[] {
  const format = "{{range .Mounts}}{{.Name}} {{end}}";
  const mounted = docker("inspect", "--format", format, ...Object.values(services(STACK)));
  return mounted.split(/\s+/).filter((name) => /^[0-9a-f]{64}$/.test(name));
}

/** Those of them that are still there. */
function remaining(names: readonly string[]): string[] {
  const present = docker("volume", "ls", "--quiet").split("\n");
  return names.filter((name) => present.includes(name));
}

/** One story: each test starts where the one before it ended. */
describe("a stack on a real engine", () => {
  test("comes up healthy", () => {
    succeed(STACK, "up", "--config", LIGHT);
    const ids = Object.values(services(STACK));
    expect(ids).toHaveLength(3);
    for (const id of ids) {
      expect(docker("inspect", "--format", "{{.State.Health.Status}}", id)).toBe("healthy");
    }
  });

  test("has nothing to change when it is asked again", () => {
    const before = services(STACK);
    expect(succeed(STACK, "up")).toMatch(/Resources:\s+\d+ unchanged\s/);
    expect(services(STACK)).toEqual(before);
  });

  test("lets the generator publish as the caller's environment says, for that run only", async () => {
    const before = services(STACK);
    const { code, text } = operateIn({ GEN_PROFILE: "daily-wave" }, STACK, "generator", "on");
    expect(code, text).toBe(0);
    await expect
      .poll(() => count(STACK, "stg.browser_raw", HTTP_PORT), { timeout: 90_000, interval: 2_000 })
      .toBeGreaterThan(0);
    expect(environmentOf("generator")).toContain("GEN_PROFILE=daily-wave");
    succeed(STACK, "generator", "off");
    expect(environmentOf("generator")).not.toContain("GEN_PROFILE=daily-wave");
    expect(environmentOf("generator")).toContain("GEN_ENABLED=false");
    expect(services(STACK)).toMatchObject({ broker: before.broker, database: before.database });
  });

  test("carries data from a load to the marts, every message accounted for", async () => {
    succeed(STACK, "run", "ddl");
    succeed(STACK, "run", "data", "--limit", "500");
    succeed(STACK, "run", "transform");
    succeed(STACK, "run", "prove");
    expect(await count(STACK, "dds.event", HTTP_PORT)).toBeGreaterThan(400);
  });

  test("shows its secrets to nobody: not in state or outputs, on inspection, in logs or terminal", () => {
    const ids = Object.values(services(STACK));
    const places = [recordedState(), docker("inspect", ...ids), ...ids.map(logOf), printed()];
    const everything = places.join("\n");
    expect(places.every((text) => text.length > 0)).toBe(true);
    for (const [name, value] of Object.entries(readSecrets(STACK))) {
      expect(everything.includes(value), name).toBe(false);
    }
  });

  test("takes a changed file without a restart", async () => {
    const before = services(STACK);
    const former = readSecrets(STACK).biPassword ?? "";
    expect(await login("bi", former, HTTP_PORT)).toBe(200);
    setSecret(STACK, "biPassword", "another-password-of-bi");
    const text = succeed(STACK, "up");
    expect(text).toMatch(/database-users-loader\s+(created )?replace/);
    expect(text).not.toMatch(/database-reopen\s+updat/);
    expect(services(STACK)).toEqual(before);
    expect(await login("bi", "another-password-of-bi", HTTP_PORT)).toBe(200);
    expect(await login("bi", former, HTTP_PORT)).toBe(403);
  });

  test("takes a secret that plain pulumi replaces, in every service", async () => {
    const former = readSecrets(STACK);
    const broker = services(STACK).broker;
    for (const name of ["database-password", "generator-control-token"]) {
      pulumi(STACK, "up", "--yes", "--skip-preview", "--replace", `**::${name}`);
    }
    const { databasePassword = "", controlToken } = readSecrets(STACK);
    expect(databasePassword).not.toBe(former.databasePassword);
    expect(controlToken).not.toBe(former.controlToken);
    expect(await login("default", databasePassword, HTTP_PORT)).toBe(200);
    expect(await login("default", former.databasePassword ?? "", HTTP_PORT)).toBe(403);
    succeed(STACK, "run", "--", "generator", "status");
    expect(services(STACK).broker).toBe(broker);
  });

  test("keeps no file that the program no longer declares", () => {
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

  test("puts back a container that was killed", () => {
    docker("kill", services(STACK).broker ?? "");
    expect(services(STACK).broker).toBeUndefined();
    succeed(STACK, "up");
    expect(services(STACK).broker).toBeDefined();
  });

  test("starts a service again that has ended by itself", async () => {
    const id = services(STACK).generator ?? "";
    // Detached: the command goes down with its container, often before it can say that it succeeded.
    docker("exec", "--detach", id, "node", "-e", "process.kill(1)");
    await until("it has started again", async () => {
      const state = docker("inspect", "--format", "{{.RestartCount}} {{.State.Running}}", id);
      return state === "1 true";
    });
  });

  test("re-creates a network that somebody removed", () => {
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

  test("previews a change in an operator's terms", () => {
    const undo = configure(STACK, { database: { memoryMiB: 2304 } });
    const text = succeed(STACK, "preview");
    undo();
    // The engine changes a limit while the container runs.
    expect(text).toContain("Resources: 1 changed: database-service\n");
    expect(text).toContain("Restarts: none\nData at risk: none\n");
    expect(text).toContain("Memory limits (MiB): 3072 → 3328\n");
    expect(text).toContain("- 2048\n  + 2304");
  });

  test("refuses a change that would lose a volume, and changes nothing", () => {
    const before = services(STACK);
    const undo = configure(STACK, {
      broker: { mode: "external", bootstrap: "b.example:1", security: { tls: false } },
    });
    const { code, text } = operate(STACK, "up");
    undo();
    expect(code).toBe(1);
    expect(text).toMatch(/delete the data in event-pipeline-level-one-kafka-data\. Nothing/);
    expect(services(STACK)).toEqual(before);
    succeed(STACK, "up");
    expect(services(STACK)).toEqual(before);
  });

  test("names the holder of a taken port and a free block", () => {
    const { code, text } = operate(OTHER, "up", "--config", LIGHT, "--offset", "20000");
    expect(code).toBe(1);
    expect(text).toContain("taken by container event-pipeline-level-one-");
    expect(text).toMatch(/OFFSET=\d+000/);
  });

  test("serves another stack as its external broker and database", () => {
    const undo = configure(OTHER, {
      generator: { deploy: false },
      broker: {
        mode: "external",
        bootstrap: "kafka:29092",
        hostBootstrap: `localhost:${BROKER_PORT}`,
        security: { tls: false },
      },
      database: { mode: "external", url: `http://127.0.0.1:${HTTP_PORT}` },
    });
    succeed(OTHER, "init");
    setSecret(OTHER, "databasePassword", readSecrets(STACK).databasePassword ?? "");
    expect(succeed(OTHER, "up")).toContain(`http://127.0.0.1:${HTTP_PORT}`);
    expect(services(OTHER)).toEqual({});
    succeed(OTHER, "clean");
    undo();
  });

  test("runs beside another stack that shares nothing with it", () => {
    const before = services(STACK);
    succeed(OTHER, "up", "--config", LIGHT, "--offset", "21000");
    expect(Object.keys(services(OTHER)).sort()).toEqual(["broker", "database", "generator"]);
    succeed(OTHER, "clean");
    expect(belongings(OTHER)).toEqual([]);
    expect(services(STACK)).toEqual(before);
  });

  test("passes the doctor's examination", () => {
    const findings = JSON.parse(succeed(STACK, "doctor", "--json")) as { status: string }[];
    expect(findings.filter(({ status }) => status === "fail")).toEqual([]);
  });

  test("leaves nothing behind when it is cleaned", () => {
    const anonymous = anonymousVolumes();
    succeed(STACK, "clean");
    expect(belongings(STACK)).toEqual([]);
    expect(remaining(anonymous)).toEqual([]);
  });
});
