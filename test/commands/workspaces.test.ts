import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openWorkspace } from "../../warehouse/database/open.ts";
import { pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("cli-workspaces");

const state = join(root, "state");
const outside = join(root, "outside");
const run = (...args: string[]) => pipeline(args, { EVENT_PIPELINE_STATE: state });
const deleted = (name: string) => !existsSync(join(state, name));

/** Lines of the list by the name of the workspace. */
const listed = () =>
  run("workspaces")
    .stdout.split("\n")
    .slice(4, -2)
    .map((line) => line.slice(1, -1).split("│"))
    .map((cells) => cells.map((cell) => cell.trim()));

async function create(directory: string): Promise<void> {
  const db = await openWorkspace(directory);
  await db.run("CREATE DATABASE stg");
  await db.close();
}

beforeAll(async () => {
  for (const name of ["empty", "other"]) await create(join(state, name));
  expect(run("data", "--limit", "50", "--database", join(state, "loaded")).status).toBe(0);
  expect(run("transform", "--database", join(state, "loaded")).status).toBe(0);
});

test("lists what each workspace has, and marks the last used one", () => {
  const [empty, loaded, ...others] = listed();
  expect(empty).toEqual(["", "empty", "0", "0.00 B", "", "nothing"]);
  const [mark, name, events, size, load, source] = loaded ?? [];
  expect([mark, name]).toEqual(["*", "loaded"]);
  expect(source).toMatch(/^load \d{4}-/);
  expect(Number(events)).toBeGreaterThanOrEqual(50);
  expect(size).toMatch(/ [KM]B$/);
  expect(load).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  expect(others).toHaveLength(1);
});

test("use chooses a workspace by its name or directory", () => {
  for (const name of ["empty", join(state, "loaded")]) {
    expect(run("workspaces", "use", name).status).toBe(0);
    expect(listed().find(([mark]) => mark === "*")?.[1]).toBe(basename(name));
  }
});

test("an unknown name is refused", () => {
  for (const command of ["use", "delete"]) {
    expect(run("workspaces", command, "nope")).toMatchObject({
      status: 1,
      stderr:
        "error: There is no workspace nope\n  hint: run `./pipeline workspaces` to list them\n",
    });
  }
});

test("delete needs a confirmation", () => {
  const { status, stderr } = run("workspaces", "delete", "other");
  expect(status).toBe(1);
  expect(stderr).toContain("hint: run `./pipeline workspaces delete other --yes` to delete\n");
  expect(deleted("other")).toBe(false);
});

test("delete refuses all if one is used by another command, or outside the folder", async () => {
  const db = await openWorkspace(join(state, "loaded"));
  const used = run("workspaces", "delete", "other", "loaded", "--yes");
  await db.close();
  expect(used.stderr).toMatch(/^error: Another command uses the workspace loaded\. /);
  await create(outside);
  const foreign = run("workspaces", "delete", "other", outside, "--yes");
  expect(foreign.stderr).toContain(`hint: rm -r ${outside} deletes the folder`);
  expect([used.status, foreign.status]).toEqual([1, 1]);
  expect(["other", "loaded"].map(deleted)).toEqual([false, false]);
});

test("delete deletes only what it names", () => {
  expect(run("workspaces", "delete", "empty", "other", "--yes").status).toBe(0);
  expect(["empty", "other", "loaded"].map(deleted)).toEqual([true, true, false]);
});
