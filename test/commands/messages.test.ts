import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { killOnOutput, pipeline } from "../support/cli.ts";

const directory = join(tmpdir(), `cli-polish-${process.pid}`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("--version prints the version of package.json", () => {
  const file = join(import.meta.dirname, "../../package.json");
  const { version } = JSON.parse(readFileSync(file, "utf8"));
  expect(pipeline(["--version"])).toMatchObject({ status: 0, stdout: `${version}\n` });
});

test("a long run is announced with an estimate, a single day in the singular", async () => {
  const demo = ["demo", "--database", directory, "--report", join(directory, "r.html")];
  const long = await killOnOutput([...demo, "--days", "3650"], "warning");
  expect(long).toMatch(
    /^warning: about 158 million page events, about 105 minutes on a small machine and \d+ GB of disk/m,
  );
  const short = await killOnOutput([...demo, "--days", "1", "--rate", "1"], "seed 1");
  expect(short).toMatch(/^1 model day from .*, 1 page event per minute/m);
  expect(short).not.toContain("warning");
});
