import { describe, expect, it } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { DAY, HOUR, MINUTE, parseMicros } from "../../../contract/time.ts";
import { parseConfig } from "../../../generator/config.ts";
import { fingerprint } from "../../../generator/fingerprint.ts";
import { tickMicros } from "../../../generator/model/config.ts";
import { NO_DEFECTS } from "../../../generator/model/defects.ts";
import { VARIABLE_NAMES, variables } from "../../../generator/variables.ts";

const NOW = parseMicros("2026-06-15T12:34:56.789012Z");
const parse = (env: Record<string, string | undefined>) => parseConfig(env, NOW);

function messageOf(env: Record<string, string | undefined>): string {
  try {
    parse(env);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  throw new Error(`accepted: ${JSON.stringify(env)}`);
}

describe("parseConfig", () => {
  it("treats an empty variable as unset, and ignores foreign variables", () => {
    expect(parse({ GEN_SEED: "", GEN_P_NEW_USER: " ", PATH: "/bin", GENERATOR: "x" })).toEqual(
      parse({}),
    );
  });

  it("reads every kind of value", () => {
    const config = parse({
      GEN_ENABLED: "no",
      GEN_STATE_RESET: "TRUE",
      GEN_RUN_MODE: "backfill",
      GEN_MODEL_T0: "now-7d",
      GEN_MODEL_T_END: "now",
      GEN_MODEL_TIMEZONE: "Asia/Kathmandu",
      GEN_DEFECTS: "late=0.5, bad_geo=1",
      GEN_JITTER_PCT: "0",
      KAFKA_BOOTSTRAP_SERVERS: "one:1,two:2",
    });
    expect(config.enabled).toBe(false);
    expect(config.stateReset).toBe(true);
    expect(config.tEnd).toBe(parseMicros("2026-06-15T12:34:00Z"));
    expect(config.t0).toBe((config.tEnd ?? 0) - 7 * DAY);
    expect(config.t0IsRelative).toBe(true);
    expect(config.defects).toEqual({ ...NO_DEFECTS, late: 0.5, bad_geo: 1 });
    expect(config.jitterPercent).toBe(0);
    expect(config.bootstrapServers).toBe("one:1,two:2");
  });

  it.each([
    ["now-90m", 90 * MINUTE],
    ["now-6h", 6 * HOUR],
    ["now-1d", DAY],
  ])("counts %s back from the full minute", (text, back) => {
    expect(parse({ GEN_MODEL_T0: text }).t0).toBe(parseMicros("2026-06-15T12:34:00Z") - back);
  });

  it("has a profile for the daily wave, which the environment overrides", () => {
    const wave = parse({ GEN_PROFILE: "daily-wave" });
    expect([wave.timeSpeed, wave.tickSeconds]).toEqual([60, 1]);
    expect(tickMicros(wave)).toBe(MINUTE);
    expect(parse({ GEN_PROFILE: "daily-wave", GEN_TICK_SECONDS: "2" }).tickSeconds).toBe(2);
    // The budget of the busiest tick, with its full jitter, is still below the limit.
    expect(30 * 1.2 * 1.2).toBeLessThan(wave.maxEventsPerTick);
  });
});

describe("refusals", () => {
  it.each([
    ["GEN_TICK_SECONDS", "0", "a number from 0.1 to 3600"],
    ["GEN_TICK_SECONDS", "0x10", "a number from 0.1 to 3600"],
    ["GEN_MAX_SESSION_EVENTS", "2.5", "a whole number from 1 to 10000"],
    ["GEN_POPULATION_MAX", "0", "a whole number from 1"],
    ["GEN_JITTER_PCT", "101", "a number from 0 to 100"],
    ["GEN_ENABLED", "maybe", "true or false"],
    ["GEN_RUN_MODE", "replay", "live or backfill"],
    ["GEN_MODEL_TIMEZONE", "Mars/Olympus", "an IANA time zone"],
    ["GEN_MODEL_T0", "yesterday", "an instant from 2000 to 2099"],
    ["GEN_DEFECTS", "some", "none, typical, or kind=rate"],
    ["GEN_DEFECTS", "late=2", "a sum of at most 1"],
  ])("%s=%s names the variable, the value and what is allowed", (name, value, allowed) => {
    const message = messageOf({ [name]: value });
    expect(message).toContain(`${name}=${value}`);
    expect(message).toContain(allowed);
  });

  it("name every bad variable at once", () => {
    const message = messageOf({ GEN_P_NEW_USER: "2", GEN_TICK_SECONDS: "x", GEN_SPEED: "1" });
    expect(message).toContain("3 settings are wrong");
    expect(message).toContain("GEN_P_NEW_USER=2");
    expect(message).toContain("GEN_TICK_SECONDS=x");
    expect(message).toContain("GEN_SPEED is not a setting");
  });

  it.each([
    ["GEN_SEEED", "GEN_SEED"],
    ["GEN_T_END", "GEN_MODEL_T_END"],
  ])("%s is unknown and near %s", (name, near) => {
    expect(messageOf({ [name]: "1" })).toContain(`${name} is not a setting; did you mean ${near}?`);
  });

  it("suggests nothing for a name that is like no other", () => {
    expect(messageOf({ GEN_NOPE: "1" })).toMatch(/GEN_NOPE is not a setting$/m);
  });

  it.each([
    [
      { GEN_MIN_EVENTS_PER_TICK: "60" },
      "GEN_MIN_EVENTS_PER_TICK=60: must not be more than GEN_MAX_EVENTS_PER_TICK (50)",
    ],
    [
      { GEN_MODEL_T_END: "2026-01-01T00:00:00Z" },
      "GEN_MODEL_T_END=2026-01-01T00:00:00Z: must be after GEN_MODEL_T0 (2026-01-01T00:00:00.000000Z)",
    ],
    [{ GEN_RUN_MODE: "backfill" }, "GEN_MODEL_T_END is not set"],
    [{ GEN_RUN_MODE: "backfill-then-live" }, "GEN_MODEL_T_END is not set"],
    [
      {
        GEN_RUN_MODE: "backfill-then-live",
        GEN_MODEL_T_END: "2026-02-01T00:00:00Z",
        GEN_STATE_ENABLED: "no",
      },
      "GEN_STATE_ENABLED=false: must be true with GEN_RUN_MODE=backfill-then-live",
    ],
  ])("refuses the contradiction %j", (env, expected) => {
    expect(messageOf(env)).toContain(expected);
  });
});

describe("variables", () => {
  it.each(VARIABLE_NAMES)("%s has a valid default and a description", (name) => {
    const { schema, fallback, meaning, allowed } = variables[name];
    if (fallback !== null) expect(schema.safeParse(fallback).success).toBe(true);
    expect(meaning).not.toBe("");
    expect(allowed).not.toBe("");
  });
});

describe("fingerprint", () => {
  const base = fingerprint(parse({}), "donors");

  it.each([
    { GEN_SEED: "2" },
    { GEN_MODEL_T0: "2026-01-02T00:00:00Z" },
    { GEN_LAMBDA_BASE_PER_MIN: "31" },
    { GEN_DEFECTS: "none" },
  ])("changes with %j", (env) => {
    expect(fingerprint(parse(env), "donors")).not.toBe(base);
  });

  it("changes with the donors", () => {
    expect(fingerprint(parse({}), "others")).not.toBe(base);
  });

  it.each([
    { GEN_MODEL_T_END: "2026-02-01T00:00:00Z" },
    { KAFKA_BOOTSTRAP_SERVERS: "elsewhere:1" },
  ])("does not change with %j", (env) => {
    expect(fingerprint(parse(env), "donors")).toBe(base);
  });
});
