import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { parse } from "yaml";
import { makeFolder } from "../../../contract/files.ts";

let root = "/";

/** Replaces `components/shared/state.ts`: checkout and state are a temporary folder. */
export const ownRoot = {
  get ROOT() {
    return root;
  },
  stateFolder: () => join(root, ".state"),
};

/** Gives each test of a file an empty checkout. @returns its path */
export function emptyRoot(): () => string {
  beforeEach(() => {
    // A checkout may be in a folder with such a name.
    root = mkdtempSync(join(tmpdir(), "own 'root' ü 100% #1-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));
  return () => root;
}

/** File of a stack's settings. */
export const fileOf = (stack: string): string => join(root, `Pulumi.${stack}.yaml`);

export function writeConfig(file: string, config: Readonly<Record<string, unknown>>): void {
  makeFolder(dirname(file));
  writeFileSync(file, JSON.stringify({ config: withProject(config) }));
}

const withProject = (config: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => [`event-pipeline:${key}`, value]),
  );

export function readConfig(file: string): Record<string, unknown> {
  const { config } = parse(readFileSync(file, "utf8")) as { config?: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(config ?? {}).map(([key, value]) => [
      key.replace(/^event-pipeline:/, ""),
      value,
    ]),
  );
}
