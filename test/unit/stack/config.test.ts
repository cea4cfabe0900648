import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { memoryOf, publishedPorts, type StackConfig } from "../../../components/config.ts";
import { parseStackConfig } from "../../../components/config-rules.ts";
import { BAD_PORTS } from "../../../contract/bad-ports.ts";
import { UserError } from "../../../contract/errors.ts";

const refusal = (raw: Record<string, unknown>): string => {
  try {
    parseStackConfig(raw);
  } catch (error) {
    if (error instanceof UserError) return `${error.message}\n${error.hint}`;
    throw error;
  }
  throw new Error("accepted");
};

test("the marts cannot keep less than ods, from which they are computed", () => {
  expect(refusal({ clickhouse: { keepOdsDays: 90, keepMartsDays: 30 } })).toContain(
    "clickhouse.keepMartsDays=30 needs clickhouse.keepOdsDays from 1 to 30, not 90",
  );
});

test("config/core.yaml is a stack of at most 2 GiB, by the limits of its containers", () => {
  const file = join(import.meta.dirname, "../../../config/core.yaml");
  const { config } = parse(readFileSync(file, "utf8")) as { config: Record<string, unknown> };
  const own = Object.entries(config).map(([key, value]) => [key.split(":")[1], value]);
  const stack = parseStackConfig(Object.fromEntries(own));
  expect(memoryOf(stack)).toBeLessThanOrEqual(2048);
  expect(stack).toMatchObject({ mode: "live", airflow: false, postgres: false });
});

describe("the stack's configuration", () => {
  test.each([
    [
      "a block without a mode means the container",
      { kafka: { port: 19_092 } },
      { mode: "container" },
    ],
    [
      "cores may be text, as Pulumi writes decimals",
      { clickhouse: { cpus: "1.5" } },
      { cpus: 1.5 },
    ],
    [
      "variables of the generator may be numbers and booleans",
      { generator: { settings: { GEN_SEED: 7, GEN_STATE_ENABLED: false } } },
      { settings: { GEN_SEED: "7", GEN_STATE_ENABLED: "false" } },
    ],
  ])("%s", (_, raw, expected) => {
    const [block] = Object.keys(raw) as ["kafka"];
    expect(parseStackConfig(raw)[block]).toMatchObject(expected);
  });

  test.each([
    [
      { kafka: { prot: 1 } },
      "kafka: unknown key prot; did you mean port? Allowed: mode, image, nodes, port, memoryMiB, cpus",
    ],
    [{ kafka: { port: 70_000 } }, "kafka.port: must be a port from 1 to 65535, not 70000"],
    [{ kafka: { mode: "cluster" } }, 'kafka.mode: must be container or external, not "cluster"'],
    [
      { kafka: { mode: "external" } },
      "kafka.bootstrap: must be host:port, several separated by commas, but is not set",
    ],
    [
      { kafka: { mode: "external", bootstrap: "b:1", port: 9093 } },
      "kafka: unknown key port; did you mean security? Allowed with mode=external: mode, bootstrap, hostBootstrap, security",
    ],
    [
      { clickhouse: { cpus: 0.25 } },
      "clickhouse.cpus: must be cores from 0.1 to 9.9 with one decimal, not 0.25",
    ],
    [
      { network: { bind: "localhost" } },
      'network.bind: must be an IPv4 address like 127.0.0.1 or 0.0.0.0, not "localhost"',
    ],
    [
      { network: { bind: "0.0.0.0" } },
      "network.host: must be the name or address by which clients reach this machine",
    ],
    [
      { network: { host: "box.example" } },
      "network.host: needs network.bind to be an address that clients reach",
    ],
    [
      { kafka: { mode: "external", bootstrap: "b:1", security: 5 } },
      "kafka.security: must be a block of settings, not 5",
    ],
    [{ adminPasword: "x" }, "unknown key adminPasword; did you mean adminPassword?"],
    [
      { grafana: { alertWebhook: "https://hooks.example" } },
      "grafana: alertWebhook is a secret: npx pulumi config set --secret event-pipeline:alertWebhook",
    ],
    [
      { generator: { settings: { GEN_ENABLED: true } } },
      "generator.settings.GEN_ENABLED: is fixed: it is generator.enabled",
    ],
    [
      { generator: { settings: { GEN_SEDE: 1 } } },
      "generator.settings: unknown key GEN_SEDE; did you mean GEN_SEED?",
    ],
    [
      { clickhouse: { image: "clickhouse/clickhouse-server:latest" } },
      /clickhouse.image: must be name:tag with an exact tag .*, not "clickhouse.clickhouse-server:latest"/,
    ],
    [
      {
        kafka: { mode: "external", bootstrap: "b:1", security: { mechanism: "PLAIN" } },
      },
      "mechanism and username must be given together",
    ],
  ])("refuses %j", (raw, message) => {
    const text = refusal(raw);
    expect(text).toMatch(message);
    expect(text).toContain("pulumi config set --path event-pipeline:<setting> <value>");
    expect(text).not.toContain("make");
  });

  test("names every problem at once, with what to do", () => {
    const text = refusal({ kafka: { port: 0, cpus: 0 }, broker: {} });
    expect(text).toContain("kafka.port: must be a port from 1 to 65535, not 0");
    expect(text).toMatch(/kafka.cpus: .*, not 0$/m);
    expect(text).toContain("unknown key broker");
    expect(
      refusal({
        network: { portOffset: 40_000 },
        kafka: { mode: "external", bootstrap: "localhost:9092" },
        generator: { port: 40_000 },
        airflow: { port: 9107 },
        superset: { port: 9107 },
      }),
    ).toBe(`The stack's configuration is wrong:
  kafka.bootstrap=localhost:9092: a container cannot reach this machine by a loopback address. kafka.hostBootstrap may have it, for commands on this machine.
  generator.port plus network.portOffset is 80000; allowed are ports up to 65535
  airflow.port and superset.port both publish port 49107/tcp; each service needs its own
run npx pulumi config set --path event-pipeline:kafka.hostBootstrap localhost:9092 and npx pulumi config set --path event-pipeline:kafka.bootstrap <address for containers>, and run npx pulumi config set --path event-pipeline:network.portOffset 0, or make up OFFSET=0, and run npx pulumi config set --path event-pipeline:superset.port <free port>`);
  });
});

describe("a service that is switched off", () => {
  test.each<[keyof StackConfig, Record<string, unknown>]>([
    ["superset", { superset: false }],
    ["kafkaExporter", { prometheus: false }],
    ["generator", { generator: false }],
    ["ingest", {}],
    ["postgres", { airflow: false, superset: false }],
    ["statsdExporter", { airflow: false }],
    ["grafana", { prometheus: false }],
    ["alertLog", { grafana: false }],
  ])("has no settings: %s with %j", (service, raw) => {
    expect(parseStackConfig(raw)[service]).toBe(false);
    const on = service === "ingest" ? { clickhouse: { ingest: "service" } } : {};
    expect(parseStackConfig(on)[service]).not.toBe(false);
  });

  test("is named in the errors of its block", () => {
    expect(refusal({ grafana: true })).toContain(
      "grafana: must be false or a block of settings, not true",
    );
    expect(refusal({ grafana: { port: "x", prot: 1 } })).toMatch(
      /grafana\.port: must be a port .*, not "x"\n +grafana: unknown key prot/,
    );
  });
});

const kafka = { mode: "external", bootstrap: "b.example:9092" };

test.each([
  ["containers", {}, "live", true],
  ["containers, bare", { mode: "bare" }, "bare", false],
  ["containers, bare, on request", { mode: "bare", generator: { enabled: true } }, "bare", true],
  ["an external Kafka", { kafka }, "bare", false],
  ["an external Kafka, live", { kafka, mode: "live" }, "live", true],
  ["a generator in standby", { generator: { enabled: false } }, "live", false],
])("the mode and the generator of a stack with %s", (_, raw, mode, enabled) => {
  const config = parseStackConfig(raw);
  expect(config).toMatchObject({ mode, generator: { enabled } });
});

describe("published ports", () => {
  test("have the offset, and only those of deployed services are published", () => {
    const ports = publishedPorts(
      parseStackConfig({
        network: { portOffset: 100 },
        kafka: { nodes: 3 },
        prometheus: false,
      }),
    );
    expect(ports).toContainEqual({ setting: "kafka.port", port: 9194, protocol: "tcp" });
    expect(ports.map(({ setting }) => setting)).not.toContain("grafana.port");
    expect(ports.map(({ protocol }) => protocol)).not.toContain("udp");
  });

  test("differ by protocol, and are refused if two are equal or out of range", () => {
    expect(() => refusal({ statsdExporter: { statsdPort: 9092 } })).toThrow("accepted");
    for (const clash of [{ generator: { port: 9092 } }, { kafka: { nodes: 3, port: 9107 } }]) {
      expect(refusal(clash)).toMatch(
        /^ {2}kafka\.port and generator\.port both publish port 9\d+\/tcp/m,
      );
    }
    expect(refusal({ clickhouse: { httpPort: 60_000 }, network: { portOffset: 6000 } })).toContain(
      "clickhouse.httpPort plus network.portOffset is 66000",
    );
  });

  test.each([
    [2000, "airflow.port plus network.portOffset is 10080"],
    [3000, "grafana.port plus network.portOffset is 6000"],
    [3665, "grafana.port plus network.portOffset is 6665"],
  ])(
    "of pages are refused if browsers refuse them, with an offset that works: %i",
    (portOffset, message) => {
      const text = refusal({ network: { portOffset } });
      expect(text).toContain(`${message}, to which browsers and fetch do not connect`);
      expect(text).toContain(`network.portOffset 4000`);
      expect(() => refusal({ network: { portOffset: 4000 } })).toThrow("accepted");
    },
  );

  test("that browsers refuse are those that fetch refuses", async () => {
    // Refuses every connection, so that only the check of the port is tried.
    const dispatcher = { dispatch: () => assert.fail("connected") };
    const refused: number[] = [];
    for (let port = 1; port <= 12_000; port++) {
      const init = { dispatcher } as unknown as RequestInit;
      const error = await fetch(`http://127.0.0.1:${port}`, init).catch(({ cause }) => cause);
      if (error.message === "bad port") refused.push(port);
      else expect(error.message).toBe("connected");
    }
    expect(refused).toEqual([...BAD_PORTS]);
  });

  test("of other protocols may be those that browsers refuse", () => {
    const ports = { kafka: { port: 6667 }, clickhouse: { nativePort: 6000 } };
    expect(() => refusal({ ...ports, statsdExporter: { statsdPort: 6001 } })).toThrow("accepted");
  });
});

describe("an address that a service cannot reach is refused", () => {
  const clickhouse = { mode: "external", url: "http://127.0.0.1:8123" };

  test.each([
    [
      { kafka: { ...kafka, bootstrap: "b.example:9092,localhost:9092" } },
      "kafka.bootstrap=b.example:9092,localhost:9092: a container cannot reach this machine",
      "kafka.hostBootstrap",
    ],
    [
      { kafka, clickhouse },
      "clickhouse.url=http://127.0.0.1:8123: a container cannot reach this machine",
      "clickhouse.hostUrl",
    ],
    [
      { clickhouse: { ...clickhouse, url: "https://db.example:8443" } },
      "an external ClickHouse cannot reach a Kafka on the stack's internal network",
      "kafka.bootstrap",
    ],
  ])("%j", (raw, message, setting) => {
    expect(refusal(raw)).toContain(message);
    expect(refusal(raw)).toContain(setting);
  });
});
