import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const PROGRAM = `
import { onInterrupt } from "${ROOT}/terminal/process.ts";
import { startProgress } from "${ROOT}/terminal/progress.ts";
process.stderr.isTTY = true;
onInterrupt(() => process.stderr.write("The demo was interrupted"));
startProgress("earlier").done("end");
startProgress("generate").update(0.5, "half");
setInterval(() => process.stdout.write("."), 100);`;

test("Ctrl+C restores cursor and line wrap, prints the note, and ends by the signal", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM]);
  const printed = text(child.stderr);
  await once(child.stdout, "data");
  child.kill("SIGINT");
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGINT");
  const [, last = ""] = (await printed).split("\u001b[?25l").slice(-2);
  expect(last).toContain("\u001b[?25h");
  expect((await printed).lastIndexOf("\u001b[?7h")).toBeGreaterThan(
    (await printed).lastIndexOf("\u001b[?7l"),
  );
  expect(await printed).toMatch(/The demo was interrupted$/);
});
