import { expect, test } from "vitest";
import {
  DatabaseError,
  DatabaseUnavailable,
  IncompleteError,
  MartsMissing,
  UserError,
  withHint,
} from "../../../contract/errors.ts";

test("a message ends with the hint, if there is one", () => {
  expect(withHint(new UserError("No broker.", "make up"))).toBe("No broker.\n  hint: make up");
  expect(withHint(new UserError("No broker."))).toBe("No broker.");
});

test("unfinished work is exit code 3, any other user error 1", () => {
  expect(new UserError("").exitCode).toBe(1);
  expect(new IncompleteError("").exitCode).toBe(3);
  expect([new DatabaseUnavailable("").exitCode, new MartsMissing("").exitCode]).toEqual([1, 1]);
});

test("errors keep their class name in logs, and the database's message", () => {
  expect(String(new UserError("No broker."))).toBe("UserError: No broker.");
  const cause = new Error("socket");
  const error = new DatabaseError("Unknown table", 60, cause);
  expect(String(error)).toBe("DatabaseError: Unknown table");
  expect(error).toMatchObject({ code: 60, cause });
  expect(error).not.toBeInstanceOf(UserError);
});
