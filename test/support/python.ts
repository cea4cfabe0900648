import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CACHE } from "./cache.ts";

export type PythonEnvironment = { python: string } | { missing: string };

/** Installation command; part of the key, so that environments of another command are not used. */
const INSTALL = ["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"];

/**
 * Creates a virtual environment with the packages of a requirements file, once per content.
 * Returns `missing` if there is no usable Python.
 */
export function pythonEnvironment(requirements: string, base = "python3"): PythonEnvironment {
  const content = createHash("sha256").update(INSTALL.join(" ")).update(readFileSync(requirements));
  const directory = join(CACHE, `venv-${content.digest("hex").slice(0, 16)}`);
  const python = join(directory, "bin", "python");
  if (existsSync(join(directory, "complete"))) return { python };
  const steps = [
    [base, "-m", "venv", "--clear", directory],
    [python, ...INSTALL, "-r", requirements],
    ["touch", join(directory, "complete")],
  ];
  for (const [command = "", ...args] of steps) {
    const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
    if (status !== 0) return { missing: `${command} ${args[0]} failed: ${stderr ?? "not found"}` };
  }
  return { python };
}
