import { expect, test } from "vitest";
import { planStack, servicesOf } from "../../../components/services.ts";
import { configVolume } from "../../../components/shared/spec.ts";
import { planContext } from "./context.ts";

const file = (path: string, content = "a") => ({ path, content });
const volumeOf = (...files: ReturnType<typeof file>[]): string =>
  configVolume("config", "event-pipeline-dev-clickhouse-config", "/etc", files).volume;

test("changed content stays in its volume, for a reload", () => {
  expect(volumeOf(file("10.yaml", "a"))).toBe(volumeOf(file("10.yaml", "b")));
  expect(volumeOf(file("a"), file("b"))).toBe(volumeOf(file("b"), file("a")));
});

test("a removed or renamed file gets a new volume, in which it never was", () => {
  const before = volumeOf(file("10.yaml"), file("20.yaml"));
  expect(before).toMatch(/^event-pipeline-dev-clickhouse-config-[0-9a-f]{8}$/);
  expect(volumeOf(file("10.yaml"))).not.toBe(before);
  expect(volumeOf(file("10.yaml"), file("21.yaml"))).not.toBe(before);
});

test("every service mounts the volume of its files", () => {
  for (const { container, configs } of servicesOf(planStack(planContext()))) {
    const mounted = container.mounts.map(({ volume }) => volume);
    for (const { volume } of configs) expect(mounted, container.role).toContain(volume);
  }
});

test("Superset's previous key is removed with its file after the rotation", () => {
  const secretsOf = (...configured: "supersetPreviousSecretKey"[]) =>
    planStack(planContext({}, {}, "dev", configured)).bi?.service.configs[0];
  const during = secretsOf("supersetPreviousSecretKey");
  const after = secretsOf();
  expect(after?.files.map(({ path }) => path)).not.toContain("previous-secret-key");
  expect(after?.volume).not.toBe(during?.volume);
});
