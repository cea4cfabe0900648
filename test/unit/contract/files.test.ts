import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileFailure, makeFolder, requireWritable, writeWhole } from "../../../contract/files.ts";
import { useFolder } from "../../support/use-folder.ts";

const root = useFolder("files");

const codeOf = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};

test("creates a folder with its parents, also repeatedly", () => {
  const folder = join(root, "a/b/c");
  makeFolder(folder);
  makeFolder(folder);
  expect(existsSync(folder)).toBe(true);
});

test("a folder that the system does not create is an error, not an endless loop", () => {
  // Node's own recursive mkdir never returns here.
  expect(codeOf(() => makeFolder("/proc/none/below"))).toBe("ENOENT");
});

test("a file where a folder is needed is an error", () => {
  writeFileSync(join(root, "file"), "");
  expect(codeOf(() => makeFolder(join(root, "file")))).toBe("EEXIST");
  expect(codeOf(() => makeFolder(join(root, "file/below")))).toBe("EEXIST");
});

test("replaces a file atomically, also through a symbolic link, without leftovers", () => {
  const folder = join(root, "reports");
  const file = join(folder, "r.html");
  requireWritable(file);
  expect(readdirSync(folder)).toEqual([]);
  writeWhole(file, "first");
  symlinkSync(file, join(folder, "link.html"));
  writeWhole(join(folder, "link.html"), "second");
  expect(readFileSync(file, "utf8")).toBe("second");
  expect(readdirSync(folder).sort()).toEqual(["link.html", "r.html"]);
});

test("writes to a device, without replacing it", () => {
  requireWritable("/dev/null");
  writeWhole("/dev/null", "text");
  expect(existsSync("/dev/null")).toBe(true);
  expect(() => writeWhole("/dev/full", "text")).toThrow("/dev/full: the disk is full (ENOSPC)");
});

test("names a path that it cannot write before the run", () => {
  const folder = join(root, "folder");
  mkdirSync(folder);
  writeFileSync(join(root, "plain"), "");
  const paths = [folder, join(root, "plain/r.html"), "/proc/none/r.html", "/proc/r.html"];
  const reasons = paths.map((path) => {
    try {
      requireWritable(path);
      return "";
    } catch (error) {
      return (error as Error).message.replace(`${path}: `, "");
    }
  });
  expect(reasons).toEqual([
    "the path is a folder; allowed: a file (EISDIR)",
    "the path or a parent of the path is a file; allowed: a folder (EEXIST)",
    "the path does not exist and cannot be created (ENOENT)",
    "the path does not exist and cannot be created (ENOENT)",
  ]);
});

test.each([
  [
    "EACCES",
    "this user has no permission (EACCES)",
    "choose another path, or change the permissions",
  ],
  [
    "EEXIST",
    "the path or a parent of the path is a file; allowed: a folder (EEXIST)",
    "choose another path",
  ],
  ["ENOSPC", "the disk is full (ENOSPC)", "free some space, then run the command again"],
])("%s has its own message and hint", (code, what, hint) => {
  expect(fileFailure({ code, path: "/x" })).toMatchObject({ message: `/x: ${what}`, hint });
});

test("another error is not a file system error", () => {
  expect(fileFailure(new Error("other"))).toBeUndefined();
  expect(fileFailure({ code: "ECONNREFUSED" })).toBeUndefined();
  expect(fileFailure(undefined)).toBeUndefined();
});
