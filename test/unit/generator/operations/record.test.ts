import { expect, it } from "vitest";
import { cleanRecord, parseFrame, parseRecord } from "../../../../generator/operations/record.ts";

it("parses what it writes", () => {
  expect(parseRecord(JSON.stringify(cleanRecord()))).toEqual(cleanRecord());
});

it.each([
  ["{", /not JSON/],
  ["null", /Migration error: .* version none/],
  ['{"version":2,"users":[]}', /Migration error: .* version 2/],
  ['{"version":3}', /damaged at phase/],
  [JSON.stringify({ ...cleanRecord(), batches: -1 }), /damaged at batches/],
])("refuses %s with a hint", (text, message) => {
  expect(() => parseFrame(text)).toThrow(message);
  expect(() => parseFrame(text)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("GEN_STATE_RESET=true") }),
  );
});

it("refuses a damaged state inside a sound record", () => {
  const text = JSON.stringify({ ...cleanRecord(), phase: "live", generator: { version: 3 } });
  expect(() => parseRecord(text)).toThrow(/damaged at fingerprint/);
});
