import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { missingNeeds as missingForKafka } from "../kafka/needs.ts";

/** Python versions that Airflow and its lock support. */
const PYTHON = ["python3.11", "python3.12"] as const;
const DEBIAN = "/usr/lib/postgresql";

/** Command name of a supported Python. */
export const findPython = (): string | undefined =>
  PYTHON.find((name) => spawnSync(name, ["-m", "venv", "--help"]).status === 0);

/** Folder of the PostgreSQL programs. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort() : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, "bin")).reverse(),
    ...(process.env.PATH ?? "").split(":"),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")));
}

/** Lists missing requirements of the airflow level; empty if it can run. */
export function missingNeeds(): string[] {
  return [
    ...(findPython() ? [] : [`Python 3.11 or 3.12 with venv (no ${PYTHON.join(", ")} found)`]),
    ...(findPostgres() ? [] : ["PostgreSQL (no initdb found; Debian: postgresql)"]),
    ...missingForKafka(),
  ];
}
