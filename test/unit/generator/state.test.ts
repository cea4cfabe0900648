import { describe, expect, it } from "vitest";
import { UserError } from "../../../contract/errors.ts";
import { runBackfill } from "../../../generator/backfill.ts";
import { catalogueDonors } from "../../../generator/catalogue/donors.ts";
import { DonorPool } from "../../../generator/model/donors.ts";
import {
  decodeState,
  encodeState,
  parseState,
  type StateV3,
} from "../../../generator/model/state.ts";
import { configWith, donors, hoursAfter } from "./support.ts";

const config = configWith({ GEN_DEFECTS: "late=0.2" });
const discard = { publish: async () => {}, close: async () => {} };
const { state } = await runBackfill({ ...config, tEnd: hoursAfter(config, 2) }, donors, discard);
const text = JSON.stringify(state);

function refusal(stored: string, pool = donors): UserError {
  try {
    parseState(stored, pool);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return error as UserError;
  }
  throw new Error("accepted");
}

const changed = (change: (copy: StateV3 & Record<string, unknown>) => void): string => {
  const copy = structuredClone(state);
  change(copy);
  return JSON.stringify(copy);
};

describe("state v3", () => {
  it("contains sessions with their donor, visitors and late messages, and survives JSON", () => {
    expect(state.version).toBe(3);
    expect(state.visits.length).toBeGreaterThan(0);
    expect(state.visits.every((session) => donors.find(session.base_click_id))).toBe(true);
    expect(state.visits.some((session) => session.next_at_us % 1000 !== 0)).toBe(true);
    expect(state.late.length).toBeGreaterThan(0);
    expect(state.resting.length).toBeGreaterThan(0);
    expect(parseState(text, donors)).toEqual(state);
  });

  it("keeps planned sessions and visitors who may return", () => {
    const visitor = state.resting[0]?.user;
    if (!visitor) throw new Error("no resting visitor");
    const full = { ...state, births_us: [state.model_time_us + 5], eligible: [visitor] };
    const { fingerprint, settings, t0_us, sent } = full;
    const frame = { fingerprint, settings, t0_us, sent };
    expect(encodeState(decodeState(full, donors), frame)).toEqual(full);
  });

  it.each([
    ["of version 2", JSON.stringify({ version: 2, visits: [] }), "version 2"],
    ["of a later version", changed((copy) => Object.assign(copy, { version: 4 })), "version 4"],
    ["without a version", "{}", "version none"],
    ["that is null", "null", "version none"],
  ])("%s is refused with a migration error that has a hint", (_, stored, expected) => {
    const error = refusal(stored);
    expect(error.message).toContain("Migration error");
    expect(error.message).toContain(expected);
    expect(error.hint).toContain("GEN_STATE_RESET=true");
  });

  it.each([
    ["truncated", text.slice(0, text.length / 2), "not JSON"],
    ["empty", "", "not JSON"],
    ["with an unknown key", changed((copy) => Object.assign(copy, { extra: 1 })), "(top)"],
    [
      "with a fraction of a microsecond",
      changed((copy) => {
        copy.model_time_us += 0.5;
      }),
      "model_time_us",
    ],
    [
      "with an unknown page",
      changed((copy) => Object.assign(copy.visits[0] ?? {}, { page: "/nowhere" })),
      "visits.0.page",
    ],
    [
      "with a longer fingerprint",
      changed((copy) => {
        copy.fingerprint += "0";
      }),
      "fingerprint",
    ],
    ["without counters", changed((copy) => Object.assign(copy, { counters: null })), "counters"],
  ])("%s is refused as damaged", (_, stored, where) => {
    const error = refusal(stored);
    expect(error.message).toContain(where);
    expect(error.hint).toContain("GEN_STATE_RESET=true");
  });

  it("is refused if a session's donor is not in the dataset", () => {
    const others = new DonorPool(catalogueDonors("another", 10));
    const error = refusal(text, others);
    expect(error.message).toContain(`base_click_id ${state.visits[0]?.base_click_id}`);
    expect(error.message).toContain("not among the 10 donors");
    expect(error.hint).toContain("GEN_DATA_DIR");
  });
});
