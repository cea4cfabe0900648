import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CLI, pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("cli-files");

const file = join(root, "file");
const disk = join(root, "disk");
beforeAll(() => {
  writeFileSync(file, "x");
  mkdirSync(join(root, "folder"));
  mkdirSync(disk);
});

const demo = ["demo", "--days", "1", "--rate", "2"];
const report = ["--report", join(root, "r.html")];
const data = ["--database", join(root, "data")];

/** A message, one next step, and no stack trace. */
const SHAPE = /^error: [^\n]+\n {2}hint: [^\n]+\n$/;

describe("an unusable path is refused before the run, with one message shape", () => {
  test.each<[string, string[], string]>([
    [
      "a folder that cannot be made",
      [...demo, "--database", "/proc/none", ...report],
      "cannot be created",
    ],
    [
      "a report below a file",
      [...demo, ...data, "--report", join(file, "r.html")],
      "is a file; allowed: a folder",
    ],
    [
      "a report that is a folder",
      [...demo, ...data, "--report", join(root, "folder")],
      "the path is a folder",
    ],
    ["a file as database", ["prove", "--database", file], "is a file; allowed: a folder"],
    ["a file as dataset", ["dataset", "check", file], "is a file; allowed: a folder"],
  ])("%s", (_, args, reason) => {
    const { status, stderr } = pipeline(args);
    expect(stderr).toMatch(SHAPE);
    expect(stderr).toContain(reason);
    expect(status).toBe(args[0] === "prove" ? 2 : 1);
  });

  test("a dataset below a file", () => {
    const { stderr } = pipeline(["dataset", "write", join(file, "set")], {
      GEN_MODEL_T0: "2026-01-01T00:00:00Z",
      GEN_MODEL_T_END: "2026-01-01T01:00:00Z",
    });
    expect(stderr).toMatch(SHAPE);
    expect(stderr).toContain("is a file; allowed: a folder");
  });
});

const ENGINE = join(CLI, "../../warehouse/engine/engine.ts");

/** Runs the command line as another user, which only root may do. */
test.skipIf(process.getuid?.() !== 0)("a directory of another user", () => {
  mkdirSync(join(root, "private"), { mode: 0o700 });
  const { stderr } = spawnSync(
    process.execPath,
    [
      "--eval",
      `process.setgid(65534); process.setuid(65534);
      const { holdEngine } = await import(${JSON.stringify(ENGINE)});
      await holdEngine(${JSON.stringify(join(root, "private/x"))}).catch((e) => console.error(e.message))`,
    ],
    { encoding: "utf8" },
  );
  expect(stderr).toContain("this user has no permission (EACCES)");
});

describe("a full disk", () => {
  /** Runs on a file system of this many MiB, in a separate namespace. */
  const onDisk = (mebibytes: number, script: string) =>
    spawnSync(
      "unshare",
      ["-Urm", "sh", "-c", `mount -t tmpfs -o size=${mebibytes}m none ${disk} && ${script}`],
      { encoding: "utf8" },
    );
  const canMount =
    spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "none", tmpdir()]).status === 0;

  test.skipIf(!canMount)("the demo starts over if it runs again", () => {
    const command = [process.execPath, CLI, ...demo, ...report, "--database", join(disk, "data")];
    const { status, stderr } = onDisk(3, command.join(" "));
    expect(stderr).toMatch(/the disk of \S+ is full/);
    expect(stderr).toMatch(/hint: free some space, then retry: the command starts over\n$/);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(status).toBe(1);
  });

  test.skipIf(!canMount)("a report that does not fit leaves nothing behind", () => {
    const filled = `head -c 1040000 /dev/zero > ${disk}/filler`;
    const command = [process.execPath, CLI, ...demo, ...data, "--report", join(disk, "r.html")];
    const { stderr, stdout } = onDisk(1, `${filled}; ${command.join(" ")}; ls ${disk}`);
    expect(stderr).toContain(`--report ${join(disk, "r.html")}: the disk is full (ENOSPC)`);
    expect(stdout.trim().split("\n").at(-1)).toBe("filler");
  });
});

describe("a reader that closes the pipe", () => {
  const piped = (command: string) =>
    spawnSync("bash", ["-c", `set -o pipefail; ${command}`], { encoding: "utf8" });

  test("ends quietly, with the command's own exit code", () => {
    const plan = piped(`${process.execPath} ${CLI} plan | true`);
    expect(plan).toMatchObject({ status: 0, stderr: "" });
    const prove = piped(`${process.execPath} ${CLI} prove --database ${file} 2>&1 | true`);
    expect(prove.status).toBe(2);
  });
});

test("nothing is left beside the reports", () => {
  expect(readdirSync(root).filter((name) => name.includes(".partial"))).toEqual([]);
});
