import { beforeEach, describe, expect, test, vi } from "vitest";
import { parseStackConfig } from "../../../components/config-rules.ts";
import { goldenProgram } from "./golden.ts";
import { resourceOf } from "./record.ts";

/** Settings in the stack's file, and the outputs of the last start. */
let config: Record<string, unknown>;
let outputs: Record<string, unknown>;
vi.mock("../../../stack/lifecycle/workspace.ts", () => ({
  requireStack: async () => undefined,
  openStack: async () => undefined,
  askStack: async () => JSON.stringify(outputs),
  exportState: async () => ({ resources }),
}));
let rows: string[][];
/** Pulumi's state. */
let resources: object[];
/** Answers of pages: a status or an error; other pages have status 200. */
let answers: Record<string, number | Error>;
vi.stubGlobal("fetch", async (url: string) => {
  const answer = answers[url] ?? 200;
  if (answer instanceof Error) throw answer;
  return { status: answer };
});
vi.mock("../../../stack/lifecycle/owned-resources.ts", () => ({ serviceRows: async () => rows }));
vi.mock("../../../stack/lifecycle/local-config.ts", () => ({
  localConfig: async () => parseStackConfig(config),
}));
const { readPages, readSecrets } = await import("../../../stack/lifecycle/outputs.ts");
const { closingScreen, logs, ps, urls } = await import("../../../stack/lifecycle/show.ts");

const { pages } = resourceOf(goldenProgram(), "event-pipeline-dev", "Stack").outputs as {
  pages: object[];
};

/** The stack was started with this configuration. */
const started = (given: Record<string, unknown>): void => {
  config = given;
  outputs = { pages };
};

beforeEach(() => {
  answers = {};
  resources = [];
  started({});
});

test("make logs of a stack that is not up names the command", async () => {
  rows = [];
  for (const service of ["clickhouse", undefined]) {
    await expect(logs("dev", service)).rejects.toMatchObject({
      message: "The stack dev is not up",
      hint: "run make up STACK=dev",
    });
  }
  rows = [["clickhouse", "dev-clickhouse"]];
  await expect(logs("dev", "foo")).rejects.toThrow(
    'No service "foo" in the stack dev; there are: clickhouse',
  );
});

test("make ps lists recorded services without a container as missing, and no jobs", async () => {
  rows = [];
  expect(await ps("dev")).toBe("Nothing runs. hint: run make up STACK=dev");
  const container = (name: string, inputs = {}) => ({
    urn: `urn:pulumi:dev::event-pipeline::docker:index/container:Container::${name}`,
    type: "docker:index/container:Container",
    inputs,
  });
  resources = [container("kafka"), container("grafana"), container("init", { start: false })];
  rows = [["kafka", "running", "Up 2 minutes (healthy)", "event-pipeline-dev-kafka"]];
  const text = await ps("dev");
  expect(text).toMatch(/kafka +│ running/);
  expect(text).toMatch(/grafana +│ missing +│ run make up STACK=dev/);
  expect(text).not.toContain("init");
});

test("make secrets prints secrets after a start", async () => {
  outputs = { secrets: { adminPassword: "chosen" } };
  expect(await readSecrets("dev")).toEqual({ adminPassword: "chosen" });
  outputs = {};
  await expect(readSecrets("dev")).rejects.toThrow("The stack dev has no secrets yet");
});

describe("make urls", () => {
  test("prints the addresses of the running stack, not those of a changed configuration", async () => {
    config = { network: { portOffset: 1000 } };
    const { text, areAllAnswering } = await urls("dev");
    expect(text).toMatch(/ClickHouse │ http:\/\/localhost:9123\/play +│ default │ yes/);
    expect(text).toMatch(/Generator +│ http:\/\/localhost:9109\/status/);
    expect(text).toContain("Passwords: make secrets STACK=dev");
    expect(text).not.toContain("10123");
    expect(text).not.toContain("hint");
    expect(areAllAnswering).toBe(true);
  });

  test("requests each page, and says why one does not answer", async () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    answers = {
      "http://localhost:8088": 502,
      "http://localhost:8080": Object.assign(new Error("fetch failed"), { cause: refused }),
    };
    const { text, areAllAnswering } = await urls("dev");
    expect(text).toMatch(/Superset .*│ no: HTTP status 502/);
    expect(text).toMatch(/Airflow .*│ no: nothing listens there/);
    expect(text).toMatch(/Kafka +│ localhost:9092 +│ +│ +│/);
    expect(text).toMatch(/Grafana .*│ yes/);
    expect(text.match(/hint: .*/g)).toEqual([
      "hint: run make ps STACK=dev, then make up STACK=dev",
    ]);
    expect(areAllAnswering).toBe(false);
  });

  test("has another hint for a server that the stack does not run", async () => {
    const url = "https://db.example:8443/play";
    outputs = {
      pages: [{ service: "clickhouse", title: "ClickHouse", url, isExternal: true }],
    };
    answers = { [url]: 502 };
    const { text } = await urls("elsewhere");
    expect(text).toMatch(/ClickHouse .*│ no: HTTP status 502/);
    expect(text.match(/hint: .*/g)).toEqual([
      "hint: start ClickHouse where it runs, or run make init STACK=elsewhere with the same options, then correct its address in Pulumi.elsewhere.yaml, then run make up STACK=elsewhere",
    ]);
  });

  test("of a stack that was never up names the command", async () => {
    outputs = {};
    await expect(readPages("dev")).rejects.toMatchObject({
      message: "The stack dev has no addresses yet",
      hint: "run make up STACK=dev",
    });
  });
});

describe("the end of make up", () => {
  test("shows what to look at first in live mode", async () => {
    const text = await closingScreen("dev");
    expect(text).toContain(`Look first at:
  http://localhost:8080  the loads: etl_live starts one every 30 seconds
  http://localhost:8088/superset/dashboard/clickstream-overview/  what visitors do
  http://localhost:3000  the state of the pipeline`);
    expect(text).toContain("make prove STACK=dev checks that no event was lost.");
  });

  test("shows them for a collector without a generator", async () => {
    started({ generator: false, collector: {} });
    expect(await closingScreen("dev")).toContain("Look first at");
  });

  test.each([
    [{ mode: "bare" }, "make generator-up STACK=dev, "],
    [{ generator: { enabled: false } }, "make generator-up STACK=dev, "],
    [{ generator: false }, ""],
  ])("names the next commands for %j", async (given, first) => {
    started(given);
    const text = await closingScreen("dev");
    expect(text).toContain(`Next: ${first}make transform STACK=dev,`);
    expect(text).not.toContain("Look first at");
  });
});
