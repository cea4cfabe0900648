import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const state = useFolder("cli-snapshots");

const run = (...args: string[]) => pipeline(args, { EVENT_PIPELINE_STATE: state });
const on = (name: string) => ["--database", join(state, name)];

test("snapshots outlive their workspace, and replace rows only with consent", () => {
  expect(run("snapshots").stdout).toBe("There is no snapshot yet.\n");
  expect(run("data", "--limit", "50", ...on("first")).status).toBe(0);
  expect(run("snapshot", "full", ...on("first")).stdout).toMatch(
    /^Snapshot full: \d+ rows, 1 MB, /,
  );
  expect(run("snapshot", ...on("first")).stdout).toMatch(
    /^Snapshot first-.+ in addition to full, /,
  );
  const { status, stderr } = run("restore", "full", ...on("first"));
  expect(status).toBe(1);
  expect(stderr).toContain("restore replaces all rows");
  expect(stderr).toContain("pipeline restore full --yes --database");
  expect(run("workspaces", "delete", "first", "--yes").status).toBe(0);
  const restored = run("restore", "full", ...on("second"));
  expect(restored.stdout).toContain("rows as in its manifest");
  expect(restored.stdout).toContain("0 unaccounted");
  const [, second] = JSON.parse(run("snapshots", "--json").stdout) as { name: string }[];
  expect(second?.name).toMatch(/^first-/);
  const started = join(state, "snapshots", "started");
  mkdirSync(started);
  writeFileSync(join(started, "started.json"), `{"owner":"${join(state, "first")}"}`);
  expect(run("snapshots", "delete", second?.name ?? "").stderr).toContain(
    `started may need files of ${second?.name}. Nothing was deleted`,
  );
  expect(run("snapshots", "delete", "started").status).toBe(0);
  const refused = run("snapshots", "delete", "full");
  expect(refused.stderr).toContain(`${second?.name} may need files of full. Nothing was deleted`);
  expect(run("snapshots", "delete", "full", second?.name ?? "").status).toBe(0);
  expect(run("snapshots", "delete", "../second").stderr).toContain(
    "There is no snapshot ../second",
  );
});
