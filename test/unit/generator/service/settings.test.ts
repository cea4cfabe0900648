import { expect, it } from "vitest";
import { isAuthorised } from "../../../../generator/service/control.ts";
import { readSettings } from "../../../../generator/service/settings.ts";
import { healthOf } from "../../../../generator/service/state.ts";

it("has defaults only", () => {
  expect(readSettings({})).toEqual({ instance: "dev", host: "0.0.0.0", port: 9109, token: null });
});

it.each([
  [{ GENERATOR_HTTP_PORT: "http" }, /GENERATOR_HTTP_PORT=http is not valid. Allowed: 0/],
  [{ GENERATOR_HTTP_PORT: "70000" }, /GENERATOR_HTTP_PORT=70000/],
  [{ GENERATOR_HTTP_PORT: "6000" }, /except ports to which fetch does not connect/],
  [{ GENERATOR_INSTANCE: "a b" }, /GENERATOR_INSTANCE=a b is not valid/],
  [{ GENERATOR_INSTANCE: "load-1" }, /GENERATOR_INSTANCE=load-1/],
  [{ CONTROL_TOKEN: "short" }, /CONTROL_TOKEN is too short/],
  [{ CONTROL_TOKEN_FILE: "/nonexistent" }, /CONTROL_TOKEN_FILE=\/nonexistent cannot be read/],
])("refuses %j", (env, message) => {
  expect(() => readSettings(env)).toThrow(message);
  // The message must have a hint.
  expect(() => readSettings(env)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/\S/) }),
  );
});

it("accepts no other token than its own", () => {
  expect(isAuthorised("Bearer right", "right")).toBe(true);
  for (const header of [undefined, "", "right", "Bearer", "Bearer wrong", "bearer right"]) {
    expect(isAuthorised(header, "right")).toBe(false);
  }
});

it("is healthy until 120 s after the last committed batch", () => {
  const state = { kind: "running", operation: "live", step: "live", reason: "", since: 0 } as const;
  const at = (now: number, lastSuccess: number | null, tickMs = 5_000) =>
    healthOf({ state, lastSuccess, tickMs, now }).ok;
  expect(at(120_000, null)).toBe(true);
  expect(at(121_000, null)).toBe(false);
  expect(at(500_000, 380_000)).toBe(true);
  expect(at(500_001, 380_000)).toBe(false);
  // A tick of ten minutes is not silent after two minutes.
  expect(at(500_000, 1_000, 600_000)).toBe(true);
});

it.each([
  ["standby", true],
  ["paused", true],
  ["finished", true],
  ["refused", false],
  ["failed", false],
] as const)("%s: %s", (kind, ok) => {
  const state = { kind, reason: "why" };
  expect(healthOf({ state, lastSuccess: null, tickMs: 1, now: 1e15 })).toEqual({
    ok,
    reason: "why",
  });
});

it("a silent generator reports the known reason", () => {
  const running = {
    kind: "running",
    operation: "live",
    step: "live",
    reason: "",
    since: 0,
  } as const;
  const at = (time: number) => ({ at: time, message: "Kafka at a:1 cannot be reached" });
  const reason = (lastError: ReturnType<typeof at>) =>
    healthOf({ state: running, lastSuccess: 1_000, lastError, tickMs: 1, now: 200_000 }).reason;
  expect(reason(at(150_000))).toBe(
    "no batch was committed for 199 s: Kafka at a:1 cannot be reached",
  );
  // A batch was committed after that failure, so it is over.
  expect(reason(at(500))).toBe("no batch was committed for 199 s");
});
