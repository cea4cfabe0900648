import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { parseStackConfig } from "../../../components/config.ts";
import manifest from "../../../package.json" with { type: "json" };
import { clock, limitsOf, memory, offlineFinding } from "../../../stack/doctor/engine.ts";
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
    const sum = (raw: Record<string, unknown>) => limitsOf(parseStackConfig(raw));
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

  test("names unofficial images", () => {
    expect(offlineFinding([]).status).toBe("ok");
    expect(offlineFinding(["event-pipeline/offline/kafka:4.1.2"])).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("event-pipeline/offline/kafka:4.1.2"),
    });
  });

  test("names missing features of the processor", () => {
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
    expect(plugins([...needed, { name: "docker", version: "4.0.0" }], needed)).toMatchObject({
      status: "ok",
      detail: needed.map(({ name, version }) => `${name} ${version}`).join(", "),
    });
    const [docker, ...others] = needed;
    const old = plugins([{ name: "docker", version: "4.0.0" }, ...others], needed);
    expect(old).toMatchObject({
      status: "warn",
      detail: `not installed yet: docker ${docker?.version} (installed: 4.0.0)`,
      hint: expect.stringContaining(`install resource docker ${docker?.version} --file FILE`),
    });
    expect(plugins([], needed).detail).toContain(`docker ${docker?.version}, command`);
  });

  test("reports which Node runs each part", () => {
    expect(nodeFinding("24.21.0", "24.21.0").detail).toBe(
      "24.21.0 runs the commands and the program",
    );
    expect(nodeFinding("24.21.0", null).detail).toContain("PATH has none for plain pulumi");
    expect(nodeFinding("24.21.0", "23.6.0")).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("plain pulumi uses 23.6.0 from PATH"),
    });
    for (const old of ["18.17.0", "22.17.9", "23.5.0"]) {
      expect(nodeFinding("24.21.0", old)).toMatchObject({
        status: "warn",
        detail: expect.stringContaining(`plain pulumi uses ${old} from PATH, which cannot run it`),
      });
    }
  });

  test("distinguishes taken ports from free ones", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address ? address.port : 0);
      });
    });
    const bind = "127.0.0.1";
    const tcp = { port, protocol: "tcp" } as const;
    expect(await stateOf(bind, tcp)).toBe("taken");
    // Each protocol has its own ports.
    expect(await stateOf(bind, { ...tcp, protocol: "udp" })).toBe("free");
    // Offsets that lead to the taken port are skipped; they count from offset zero.
    const offset = await freeOffset([{ ...tcp, port: port - 1000 + 2000 }], {
      bind,
      portOffset: 2000,
    });
    expect(offset).not.toBe(1000);
    expect(offset).not.toBe(2000);
    await new Promise((resolve) => server.close(resolve));
    expect(await stateOf(bind, tcp)).toBe("free");
    expect(
      await freeOffset([{ ...tcp, port: port - 1000 + 2000 }], { bind, portOffset: 2000 }),
    ).toBe(1000);
    expect(await freeOffset([{ ...tcp, port: 65_000 }], { bind, portOffset: 0 })).toBeUndefined();
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
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    const { port } = socket.address();
    expect(await stateOf("127.0.0.1", { port, protocol: "udp" })).toBe("taken");
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  });

  test("ends every problem with a hint", () => {
    const text = renderFindings([
      { check: "docker", status: "ok", detail: "engine 28.0" },
      { check: "memory", status: "fail", detail: "too little", hint: "buy some" },
    ]);
    expect(text).toBe(
      "ok    docker      engine 28.0\nFAIL  memory      too little\n        hint: buy some",
    );
  });
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
