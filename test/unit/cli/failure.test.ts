import { expect, test, vi } from "vitest";
import { DatabaseError } from "../../../contract/errors.ts";
import { reportFailure } from "../../../terminal/failure.ts";

test.each([
  ["Code: 243. DB::Exception: Cannot reserve 24.97 MiB, not enough space.", 243],
  ["Code: 75. DB::Exception: Cannot write: No space left on device", 75],
])("a full disk is called one, and says how to go on: %s", (message, code) => {
  const print = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(reportFailure(new DatabaseError(message, code))).toBe(1);
  expect(print.mock.calls[0]?.[0]).toMatch(/the disk is full.*\n {2}hint: free some space/);
  print.mockRestore();
});
