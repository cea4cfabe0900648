import { describe, expect, test } from "vitest";
import { memoryOf } from "../../../components/config.ts";
import { parseStackConfig } from "../../../components/config-rules.ts";
import { renderSummary } from "../../../stack/doctor/doctor.ts";
import { engineFindings, memoryFinding } from "../../../stack/doctor/engine.ts";
import { imageFindings } from "../../../stack/doctor/images.ts";
import { isFree } from "../../../stack/doctor/ports.ts";
import { takePort } from "../../support/ports.ts";

const MIB = 1024 ** 2;
const engine = {
  ServerVersion: "28.0.1",
  MemTotal: 4096 * MIB,
  SystemTime: new Date(5_000).toISOString(),
  DockerRootDir: "/none",
  asked: 1_000,
  answered: 9_000,
};

describe("the doctor", () => {
  test("compares the sum of limits with the engine's memory, because limits are no reservations", () => {
    const config = parseStackConfig({});
    const limits = memoryOf(config);
    expect(memoryFinding("dev", config, { ...engine, MemTotal: limits * MIB }).status).toBe("ok");
    expect(memoryFinding("dev", config, engine)).toMatchObject({
      status: "warn",
      detail: expect.stringMatching(/^limits add up to [\d,]+ MiB, the engine has 4,096 MiB$/),
      hint: expect.stringContaining("set clickhouse.memoryMiB to less in Pulumi.dev.yaml"),
    });
  });

  test("adds up the limits of deployed services only, with every broker", () => {
    const sum = (raw: Record<string, unknown>) => memoryOf(parseStackConfig(raw));
    const all = sum({});
    expect(sum({ kafka: { nodes: 3 } }) - all).toBe(2 * 1024);
    expect(all - sum({ airflow: false })).toBe(1536 + 768 + 384 + 96);
  });

  test("compares clocks, however long the engine takes to answer", () => {
    const clockAt = (ms: number) =>
      engineFindings({ ...engine, SystemTime: new Date(ms).toISOString() })[1];
    for (const near of [5_000, 10_500]) expect(clockAt(near)?.status).toBe("ok");
    for (const far of [12_000, -2_000]) {
      expect(clockAt(far)).toMatchObject({ status: "warn", detail: "containers are off by 3 s" });
    }
  });

  test("warns of an image from the day after its end of life", () => {
    const config = parseStackConfig({
      postgres: { image: "mirror.example/postgres:15.20-bookworm" },
      prometheus: { image: `prom/prometheus:v3.13.3@sha256:${"0".repeat(64)}` },
      airflow: false,
    });
    const late = (today: string) =>
      imageFindings(config, today).flatMap(({ status, detail, hint }) =>
        status === "warn" && hint ? [detail] : [],
      );
    expect(late("2027-07-31")).toEqual([expect.stringMatching(/^grafana.* since 2027-05-24$/)]);
    expect(late("2027-08-01")).toContainEqual(expect.stringMatching(/^prom\/.* since 2027-07-31$/));
    expect(late("2027-11-12")).toContain(
      "mirror.example/postgres:15.20-bookworm gets no more repairs since 2027-11-11",
    );
    expect(imageFindings(config, "2026-11-29")).toMatchObject([{ status: "ok" }]);
  });

  test("distinguishes taken ports from free ones", async () => {
    const { port, free } = await takePort();
    const bind = "127.0.0.1";
    const tcp = { port, protocol: "tcp" } as const;
    expect(await isFree(bind, tcp)).toBe(false);
    // Each protocol has its own ports.
    expect(await isFree(bind, { ...tcp, protocol: "udp" })).toBe(true);
    await free();
    expect(await isFree(bind, tcp)).toBe(true);
  });
});

test.each([
  ["No problems.", ["ok"]],
  ["No problems, 1 warning.", ["ok", "warn"]],
  ["1 problem to fix before make up, 2 warnings.", ["fail", "warn", "warn"]],
  ["2 problems to fix before make up.", ["fail", "ok", "fail"]],
] as const)("the report ends with: %s", (expected, statuses) => {
  const findings = statuses.map((status) => ({ check: "ports", status, detail: "one" }));
  expect(renderSummary(findings)).toBe(expected);
});

test("without Docker the report says what works without it", () => {
  const findings = [{ check: "docker", status: "fail", detail: "no answer" }] as const;
  expect(renderSummary(findings)).toMatch(/make up\. \.\/pipeline demo works without Docker\.$/);
});
