import { afterEach, beforeEach, expect, type MockInstance, test, vi } from "vitest";
import { DatabaseError } from "../../../contract/errors.ts";
import { reportFailure } from "../../../terminal/failure.ts";

let print: MockInstance;
beforeEach(() => {
  print = vi.spyOn(process.stderr, "write").mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const printed = (error: unknown): string => {
  expect(reportFailure(error)).toBe(1);
  return String(print.mock.calls[0]?.[0]);
};

test.each([
  ["Code: 243. DB::Exception: Cannot reserve 24.97 MiB, not enough space.", 243],
  ["Code: 75. DB::Exception: Cannot write: No space left on device", 75],
])("names a full disk, and what to do: %s", (message, code) => {
  expect(printed(new DatabaseError(message, code, undefined, "/data/demo"))).toMatch(
    /the disk of \/data\/demo is full.*\n {2}hint: free some space/,
  );
});

test.each([
  [
    new DatabaseError("Memory limit exceeded", 241),
    "the database refused a statement: Memory limit exceeded",
  ],
  [new TypeError("x is undefined"), "unexpected: TypeError: x is undefined"],
  ["thrown text", "unexpected: thrown text"],
])("any other error has the shape of all errors: %s", (error, message) => {
  expect(printed(error)).toMatch(new RegExp(`^error: ${message}\\n {2}hint: [^\\n]+\\n$`));
});

test("EVENT_PIPELINE_DEBUG=1 prints the stack trace of an unexpected error", () => {
  vi.stubEnv("EVENT_PIPELINE_DEBUG", "1");
  expect(printed(new TypeError("x is undefined"))).toMatch(/^TypeError: .*\n +at .*failure\.test/);
});
