import { afterEach, expect, test, vi } from "vitest";
import { CALL_VARIABLE } from "../../../../contract/command-call.ts";
import { commandOn, placeOf } from "../../../../warehouse/database/command.ts";

afterEach(() => vi.unstubAllEnvs());

const SERVER = "http://own.example:8123";
const STACK = "./pipeline stack run --stack dev --";

test.each([
  ["a directory", "some/folder", undefined, "pipeline prove --database some/folder"],
  ["a server that the user names", SERVER, undefined, `pipeline prove --database ${SERVER}`],
  ["the server of the stack", SERVER, STACK, "make prove"],
])("a hint repeats %s", (_, target, call, command) => {
  vi.stubEnv(CALL_VARIABLE, call);
  expect(commandOn(placeOf(target), "prove")).toBe(command);
});
