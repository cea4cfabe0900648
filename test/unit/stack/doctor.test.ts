import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { memoryOf, parseStackConfig } from "../../../components/config.ts";
import manifest from "../../../package.json" with { type: "json" };
import { clock, memory, offlineFinding } from "../../../stack/doctor/engine.ts";
import { processor } from "../../../stack/doctor/machine.ts";
import { freeOffset, stateAfter, stateOf } from "../../../stack/doctor/ports.ts";
import { renderFindings, renderReport, withoutRepetition } from "../../../stack/doctor/report.ts";
import { neededPlugins, nodeFinding, plugins } from "../../../stack/doctor/tools.ts";
import { settingHint } from "../../../stack/make-hints.ts";

const { dependencies } = manifest;

describe("the doctor", () => {
  test("compares the sum of limits with the engine's memory, because limits are no reservations", () => {
    expect(memory("dev", 4096, 4096).status).toBe("ok");
    expect(memory("dev", 6000, 4096)).toMatchObject({
      status: "warn",
      detail: "limits add up to 6,000 MiB, the engine has 4,096 MiB",
      hint: expect.stringContaining(settingHint("dev", "clickhouse.memoryMiB", "less")),
    });
  });

  test("adds up the limits of deployed services only, with every broker", () => {
    const sum = (raw: Record<string, unknown>) => memoryOf(parseStackConfig(raw));
    const all = sum({});
    expect(sum({ kafka: { nodes: 3 } }) - all).toBe(2 * 1024);
    expect(all - sum({ airflow: { enabled: false } })).toBe(1536 + 768 + 96);
  });

  test("compares clocks, however long the engine takes to answer", () => {
    expect(clock(5_000, 1_000, 9_000).status).toBe("ok");
    expect(clock(11_500, 1_000, 10_000).status).toBe("ok");
    for (const engine of [13_000, -2_000]) {
      expect(clock(engine, 1_000, 10_000)).toMatchObject({
        status: "warn",
        detail: "containers are off by 3 s",
      });
    }
  });

  test("names unofficial images, and missing features of the processor", () => {
    expect(offlineFinding([]).status).toBe("ok");
    const image = "event-pipeline/offline/kafka:4.1.2";
    const detail = expect.stringContaining(image);
    expect(offlineFinding([image])).toMatchObject({ status: "warn", detail });
    expect(processor(new Set(["sse4_2", "pclmulqdq", "popcnt", "ssse3"])).status).toBe("ok");
    expect(processor(new Set(["popcnt", "ssse3"])).detail).toBe("lacks sse4_2, pclmulqdq");
  });

  test("compares plugins with the versions that the program's packages require", () => {
    const needed = neededPlugins(true);
    expect(needed).toEqual([
      { name: "docker", version: dependencies["@pulumi/docker"] },
      { name: "command", version: dependencies["@pulumi/command"] },
      { name: "random", version: dependencies["@pulumi/random"] },
      { name: "grafana", version: dependencies["@pulumiverse/grafana"] },
    ]);
    expect(neededPlugins(false).map(({ name }) => name)).toEqual(["docker", "command", "random"]);
    const old = { name: "docker", version: "4.0.0" };
    expect(plugins([...needed, old], needed).status).toBe("ok");
    const [docker, ...others] = needed;
    expect(plugins([old, ...others], needed)).toMatchObject({
      status: "warn",
      detail: `not installed yet: docker ${docker?.version} (installed: 4.0.0)`,
      hint: expect.stringContaining(`install resource docker ${docker?.version} --file FILE`),
    });
  });

  test.each([
    ["24.21.0", "ok", "24.21.0 runs the commands and the program"],
    [null, "ok", "PATH has none for plain pulumi"],
    ["23.6.0", "ok", "plain pulumi uses 23.6.0 from PATH"],
    ...["18.17.0", "22.17.9", "23.5.0"].map((old): [string, string, string] => [
      old,
      "warn",
      `${old} from PATH, which cannot run it`,
    ]),
  ])("reports which Node runs each part, with %s in PATH", (other, status, detail) => {
    expect(nodeFinding("24.21.0", other)).toMatchObject({
      status,
      detail: expect.stringContaining(detail),
    });
  });

  test("distinguishes taken ports from free ones", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const bind = "127.0.0.1";
    const tcp = { port, protocol: "tcp" } as const;
    const offsetOf = (one: number, portOffset: number) =>
      freeOffset([{ ...tcp, port: one }], { bind, portOffset });
    expect(await stateOf(bind, tcp)).toBe("taken");
    // Each protocol has its own ports.
    expect(await stateOf(bind, { ...tcp, protocol: "udp" })).toBe("free");
    // Offsets that lead to the taken port are skipped; they count from offset zero.
    expect([1000, 2000]).not.toContain(await offsetOf(port + 1000, 2000));
    server.close();
    await once(server, "close");
    expect(await stateOf(bind, tcp)).toBe("free");
    expect(await offsetOf(port + 1000, 2000)).toBe(1000);
    expect(await offsetOf(65_000, 0)).toBeUndefined();
  });

  test("counts only a port in use as taken, and only a missing address as foreign", async () => {
    // An address of TEST-NET-1, which no machine has.
    for (const protocol of ["tcp", "udp"] as const) {
      expect(await stateOf("192.0.2.1", { port: 40_123, protocol })).toBe("nowhere");
    }
    const error = (code: string) => Object.assign(new Error(code), { code });
    // A port below 1024: the engine publishes it, not this user.
    expect(stateAfter(error("EACCES"))).toBe("free");
    expect(stateAfter(error("EADDRINUSE"))).toBe("taken");
  });

  test("finds a port that is taken for datagrams", async () => {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    const { port } = socket.address();
    expect(await stateOf("127.0.0.1", { port, protocol: "udp" })).toBe("taken");
    socket.close();
  });
});

test("the doctor's lines end every problem with a hint", () => {
  const text = renderFindings([
    { check: "docker", status: "ok", detail: "engine 28.0" },
    { check: "memory", status: "fail", detail: "too little", hint: "buy some" },
  ]);
  const lines = ["ok    docker      engine 28.0", "FAIL  memory      too little"];
  expect(text.split("\n")).toEqual([...lines, "        hint: buy some"]);
});

test.each([
  ["No problems.", ["ok"]],
  ["No problems, 1 warning.", ["ok", "warn"]],
  ["1 problem to fix before make up, 2 warnings.", ["fail", "warn", "warn"]],
  ["2 problems to fix before make up.", ["fail", "ok", "fail"]],
] as const)("the report ends with: %s", (expected, statuses) => {
  const findings = statuses.map((status) => ({ check: "ports", status, detail: "one" }));
  expect(renderReport(findings).split("\n").at(-1)).toBe(expected);
});

test("without Docker the report lists what works without it, and the problem once", () => {
  const docker = { check: "docker", status: "fail", detail: "no answer" } as const;
  const findings = withoutRepetition([docker, docker, { ...docker, check: "ports" }]);
  expect(findings.map(({ check }) => check)).toEqual(["docker", "ports"]);
  expect(renderReport(findings)).toMatch(/make up\.\nmake demo works without Docker\.$/);
});
