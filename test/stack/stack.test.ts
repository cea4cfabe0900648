import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  anonymousVolumes,
  configure,
  HTTP_PORT,
  LIGHT,
  OTHER,
  remaining,
  STACK,
  succeed,
} from "./light-stack.ts";
import "./leftovers.ts";
import {
  belongings,
  count,
  docker,
  ELSEWHERE,
  login,
  logOf,
  operate,
  operateIn,
  printed,
  readSecrets,
  readText,
  recordedState,
  runPageBlock,
  services,
  shell,
  writeFile,
} from "./operator.ts";

const environmentOf = (service: string): string[] =>
  JSON.parse(docker("inspect", "--format", "{{json .Config.Env}}", services(STACK)[service] ?? ""));

test("make and plain pulumi share backend, passphrase and file, and make adds no salt to it", () => {
  const committed = readText("Pulumi.dev.yaml");
  // Nothing of this stack starts.
  const stack = "dev";
  succeed(stack, "init");
  expect(readText("Pulumi.dev.yaml")).toBe(committed);
  shell(
    "export PULUMI_CONFIG_PASSPHRASE_FILE=.state/passphrase; npx pulumi config set event-pipeline:protectData false",
  );
  expect(readText("Pulumi.dev.yaml")).not.toContain("encryptionsalt");
  shell(
    "export PULUMI_CONFIG_PASSPHRASE_FILE=.state/passphrase; echo a-password | npx pulumi config set --secret event-pipeline:adminPassword",
  );
  succeed(stack, "init", "--offset", "1000");
  expect(parse(readText("Pulumi.dev.yaml"))).toMatchObject({
    config: {
      "event-pipeline:protectData": "false",
      "event-pipeline:adminPassword": { secure: expect.any(String) },
      "event-pipeline:network": { portOffset: 1000 },
    },
    encryptionsalt: expect.any(String),
  });
  const undo = writeFile(
    "Pulumi.yaml",
    `${readText("Pulumi.yaml")}config:\n  event-pipeline:mode:\n    value: lively\n`,
  );
  // Make also has the settings of the project's file.
  expect(operate(stack, "init").text).toContain('mode: must be live or bare, not "lively"');
  undo();
  succeed(stack, "clean");
});

/**
 * These tests depend on each other: each starts from the state that the previous one left. The
 * commands of the pages run with the light configuration.
 */
describe("a stack on a real engine", () => {
  test("comes up healthy", () => {
    const settings = `${readText(LIGHT)}  event-pipeline:protectData: true\n`;
    for (const file of ["Pulumi.dev.yaml", "config/offline.yaml"]) writeFile(file, settings);
    runPageBlock(STACK, "docs/how-to/work-without-a-registry.md", 0);
    const ids = Object.values(services(STACK));
    expect(ids).toHaveLength(3);
    for (const id of ids) {
      expect(docker("inspect", "--format", "{{.State.Health.Status}}", id)).toBe("healthy");
    }
  });

  test("publishes nothing in bare mode", () => {
    expect(environmentOf("generator")).toContain("GEN_ENABLED=false");
    const status = JSON.parse(succeed(STACK, "run", "--", "generator", "status", "--json"));
    expect(status).toMatchObject({ state: { kind: "standby" }, batches: 0 });
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
      .poll(() => count(STACK, "stg.raw", HTTP_PORT), { timeout: 300_000, interval: 2_000 })
      .toBeGreaterThan(0);
    expect(environmentOf("generator")).toContain("GEN_PROFILE=daily-wave");
    runPageBlock(STACK, "docs/tutorial/first-hour.md", 2);
    expect(environmentOf("generator")).not.toContain("GEN_PROFILE=daily-wave");
    expect(environmentOf("generator")).toContain("GEN_ENABLED=false");
    expect(services(STACK)).toMatchObject({ kafka: before.kafka, clickhouse: before.clickhouse });
  });

  test("carries data from a load to the marts, with every message accounted for", async () => {
    succeed(STACK, "run", "ddl");
    succeed(STACK, "run", "data", "--limit", "500");
    succeed(STACK, "run", "transform");
    runPageBlock(STACK, "docs/how-to/work-without-a-registry.md", 1, { offline: STACK });
    expect(await count(STACK, "dds.event", HTTP_PORT)).toBeGreaterThan(400);
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

  test("applies a new password, which restarts only its service", async () => {
    const { clickhouse: before, ...others } = services(STACK);
    const previous = readSecrets(STACK).clickhouseBiPassword ?? "";
    expect(await login("bi", previous, HTTP_PORT)).toBe(200);
    runPageBlock(STACK, "docs/how-to/rotate-secrets.md", 1, {
      adminPassword: "clickhouseBiPassword another-password-of-bi",
    });
    expect(services(STACK)).toMatchObject(others);
    expect(services(STACK).clickhouse).not.toBe(before);
    expect(await login("bi", "another-password-of-bi", HTTP_PORT)).toBe(200);
    expect(await login("bi", previous, HTTP_PORT)).toBe(403);
  });

  test("is not touched by a stack of another checkout with the same name", () => {
    const before = services(STACK);
    // Otherwise its ports refuse the other stack earlier.
    docker("stop", ...Object.values(before));
    for (let attempt = 0; attempt < 2; attempt++) {
      const { code, text } = operateIn(ELSEWHERE, STACK, "up");
      expect(code, text).toBe(1);
      expect(text).toContain("containers or volumes of another stack stack-test-one");
    }
    expect(operateIn(ELSEWHERE, STACK, "clean", "--foreign").text).toMatch(
      /are protected \(.*kafka-data.*\)\. Nothing was removed\n.*FOREIGN=1 PROTECTED=1/,
    );
    const { code, text } = operateIn(ELSEWHERE, STACK, "clean");
    expect(code, text).toBe(0);
    expect(services(STACK)).toEqual({});
    succeed(STACK, "up");
    expect(Object.keys(services(STACK)).sort()).toEqual(Object.keys(before).sort());
  });

  test("re-creates a stopped and a removed container, and no other one, as the preview says", () => {
    const before = services(STACK);
    docker("stop", before.kafka ?? "");
    docker("rm", "--force", before.generator ?? "");
    expect(succeed(STACK, "ps")).toMatch(/generator +│ missing/);
    const preview = succeed(STACK, "preview");
    expect(preview).toMatch(/\+ docker:index\/container:Container: \(create\)\n.*::generator\]/);
    expect(preview).toMatch(/\+ 1 to create/);
    expect(preview).toMatch(/\+-docker:index\/container:Container: \(replace\)\n.*\n.*::kafka\]/);
    succeed(STACK, "up");
    const { generator, kafka, clickhouse } = services(STACK);
    expect(clickhouse).toBe(before.clickhouse);
    expect(generator).toBeDefined();
    expect(kafka).not.toBe(before.kafka);
  });

  test("ends with the log of a service that does not become healthy", () => {
    const undo = configure(STACK, { clickhouse: { image: "event-pipeline/offline/kafka:4.4.0" } });
    const { code, text } = operate(STACK, "up");
    undo();
    expect(code, text).toBe(1);
    expect(text).toMatch(
      /stack-test-one-clickhouse is not healthy: restarting with code \d+\n +\S/,
    );
    succeed(STACK, "up");
  });

  test("keeps its data through down and up", async () => {
    const before = await count(STACK, "dds.event", HTTP_PORT);
    succeed(STACK, "down");
    expect(services(STACK)).toEqual({});
    succeed(STACK, "up");
    expect(await count(STACK, "dds.event", HTTP_PORT)).toBe(before);
  });

  test("previews a change as Pulumi does", () => {
    const undo = configure(STACK, { clickhouse: { memoryMiB: 2304 } });
    const text = succeed(STACK, "preview");
    undo();
    // The engine changes a limit of a running container.
    expect(text).toMatch(/~ memory *: 2048 => 2304\n/);
    expect(text).toMatch(/~ 1 to update\n +\d+ unchanged/);
  });

  test("refuses a change that would delete a volume, and changes nothing", () => {
    const before = services(STACK);
    const undo = configure(STACK, {
      kafka: { mode: "external", bootstrap: "b.example:1", security: { tls: false } },
    });
    const { code, text } = operate(STACK, "up");
    undo();
    expect(code).toBe(1);
    expect(text).toMatch(/would delete event-pipeline-stack-test-one-kafka-data,/);
    expect(services(STACK)).toEqual(before);
    succeed(STACK, "up");
    expect(services(STACK)).toEqual(before);
  });

  test("names the container on a taken port", () => {
    const { code, text } = operate(OTHER, "up", "--config", LIGHT, "--offset", "20000");
    expect(code).toBe(1);
    expect(text).toContain("taken by container event-pipeline-stack-test-one-");
  });

  test("leaves nothing behind after clean", () => {
    const anonymous = anonymousVolumes();
    const { code, text } = operate(STACK, "clean");
    expect(code, text).toBe(1);
    expect(text).toContain(`run make clean STACK=${STACK} PROTECTED=1`);
    expect(Object.keys(services(STACK))).toHaveLength(3);
    runPageBlock(STACK, "docs/tutorial/first-hour.md", 5, { dev: `${STACK} PROTECTED=1` });
    expect(belongings(STACK)).toEqual([]);
    expect(remaining(anonymous)).toEqual([]);
  });
});
