import { describe, expect, test } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
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

describe("the stack's configuration", () => {
  test("has defaults only", () => {
    const config = parseStackConfig({});
    expect(config.network).toEqual({ bind: "127.0.0.1", portOffset: 0 });
    expect(config.broker).toMatchObject({ mode: "container", port: 9092 });
    expect(config.database).toMatchObject({
      mode: "container",
      httpPort: 9123,
      nativePort: 8002,
      metricsPort: 9126,
    });
    expect(config.generator).toMatchObject({ enabled: true, port: 9109, settings: {} });
  });

  test("a block without a mode means the container", () => {
    expect(parseStackConfig({ broker: { port: 19_092 } }).broker).toMatchObject({
      mode: "container",
      port: 19_092,
    });
  });

  test("parameters of the generator may be numbers and booleans", () => {
    const { generator } = parseStackConfig({
      generator: { settings: { GEN_SEED: 7, GEN_STATE_ENABLED: false } },
    });
    expect(generator.settings).toEqual({ GEN_SEED: "7", GEN_STATE_ENABLED: "false" });
  });

  test("cores may be text, which Pulumi writes for a number with decimals", () => {
    expect(parseStackConfig({ database: { cpus: "1.5" } }).database).toMatchObject({ cpus: 1.5 });
  });

  test.each([
    [{ brokr: {} }, "brokr: unknown key; did you mean broker?"],
    [{ broker: { prot: 1 } }, "broker.prot: unknown key; did you mean port?"],
    [{ broker: { port: 70_000 } }, "broker.port=70000: must be a port from 1 to 65535"],
    [{ broker: { mode: "cluster" } }, 'broker.mode="cluster": must be container or external'],
    [{ broker: { mode: "external" } }, "broker.bootstrap is not set: must be host:port"],
    [
      { broker: { memoryMiB: 64 } },
      "broker.memoryMiB=64: must be an integer from 512 (smallest tested)",
    ],
    [{ database: { cpus: 10 } }, "database.cpus=10: must be cores from 0.1 to 9.9"],
    [{ database: { cpus: 0.25 } }, "database.cpus=0.25: must be cores from 0.1 to 9.9"],
    [{ database: { mode: "external", url: "db" } }, 'database.url="db": must be an address like'],
    [{ network: { bind: "localhost" } }, 'network.bind="localhost": must be an IPv4 address'],
    [
      { network: { bind: "0.0.0.0" } },
      "network.host is not set: must be the name or address by which clients reach this machine",
    ],
    [
      { network: { host: "box.example" } },
      'network.host="box.example": needs network.bind to be an address that clients reach',
    ],
    [
      { broker: { mode: "external", bootstrap: "b:1", security: 5 } },
      "broker.security=5: must be a block of settings",
    ],
    [{ adminPasword: "x" }, "adminPasword: unknown key; did you mean adminPassword?"],
    [
      { dashboards: { alertWebhook: "https://hooks.example" } },
      "dashboards.alertWebhook: is a secret: pulumi config set --secret event-pipeline:alertWebhook",
    ],
    [
      { generator: { settings: { GEN_ENABLED: true } } },
      "generator.settings.GEN_ENABLED: fixed, it is generator.enabled",
    ],
    [{ network: { portOffset: -1 } }, "network.portOffset=-1: must be an integer from 0"],
    [{ generator: { settings: { GEN_SEDE: 1 } } }, "GEN_SEDE: unknown key; did you mean GEN_SEED?"],
    [
      { generator: { settings: { GEN_DATA_DIR: "/x" } } },
      "generator.settings.GEN_DATA_DIR: fixed, it is the data folder inside the container",
    ],
    [
      { images: { database: "clickhouse/clickhouse-server:latest" } },
      'images.database="clickhouse/clickhouse-server:latest": must be name:tag with an exact tag',
    ],
    [
      {
        broker: { mode: "external", bootstrap: "b:1", security: { mechanism: "PLAIN" } },
      },
      "mechanism and username must be given together",
    ],
    [
      { broker: { mode: "external", bootstrap: "b:1", security: { ca: "/etc/ca.pem" } } },
      "must be certificates in PEM form",
    ],
  ])("refuses %j", (raw, message) => {
    const text = refusal(raw);
    expect(text).toContain(message);
    expect(text).toContain("pulumi config set --path event-pipeline:<setting> <value>");
    expect(text).not.toContain("make");
  });

  test("names every problem at once", () => {
    const text = refusal({ broker: { port: 0, cpus: 0 }, grafana: {} });
    expect(text).toContain("broker.port=0");
    expect(text).toContain("broker.cpus=0");
    expect(text).toContain("grafana: unknown key");
  });
});
