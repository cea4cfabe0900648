import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askForLarge } from "../../../../warehouse/loader/confirmation.ts";

const LARGE = 1_000_001;
const REFUSAL =
  "large has more than 1,000,000 rows: a full load needs confirmation. Nothing was loaded";

beforeEach(() => void vi.stubEnv("YES", undefined));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Gives the process a terminal at which someone has answered. @returns what is printed there */
function answerAtTerminal(answer: string): PassThrough {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new PassThrough();
  vi.spyOn(process, "stdin", "get").mockReturnValue(input as unknown as typeof process.stdin);
  vi.spyOn(process, "stderr", "get").mockReturnValue(output as unknown as typeof process.stderr);
  input.write(`${answer}\n`);
  return output;
}

test("a load of more than a million messages needs a confirmation, which YES=1 gives", async () => {
  await expect(askForLarge("large", LARGE, true)).rejects.toMatchObject({
    message: REFUSAL,
    hint: "LIMIT=50 make data (a slice), or YES=1 make data (all of it)",
  });
  await askForLarge("large", 1_000_000, true);
  vi.stubEnv("YES", "1");
  await askForLarge("large", LARGE, true);
});

test("someone at a terminal is asked; after n, nothing is loaded and the hint begins with a slice", async () => {
  const output = answerAtTerminal("n");
  await expect(askForLarge("large", LARGE, false)).rejects.toMatchObject({
    message: REFUSAL,
    hint: "--limit 50 (a slice), or YES=1 in the environment (all of it)",
  });
  expect(String(output.read())).toBe("large has more than 1,000,000 rows. Load all of it? [y/N] ");
  answerAtTerminal("y");
  await askForLarge("large", LARGE, false);
});
