import { createHash, randomBytes } from "node:crypto";
import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "../../contract/files.ts";
import type { Ports } from "./control.ts";

/** What the launcher runs. */
export interface Launch {
  readonly directory: string;
  readonly library: string;
  /** Ports to listen on; 0: any. */
  readonly httpPort: number;
  readonly tcpPort: number;
}

/** How clients find the running engine of a workspace. */
export interface EngineRecord extends Ports {
  readonly pid: number;
  readonly control: string;
}

/** Folder of the launcher's own files in a workspace. */
export const engineFolder = (directory: string): string => join(directory, "engine");

const recordFile = (directory: string): string => join(engineFolder(directory), "running.json");
export const passwordFile = (directory: string, user: string): string =>
  join(engineFolder(directory), `${user}-password`);

export const writeRecord = (directory: string, record: EngineRecord): void =>
  writePrivate(
    recordFile(directory),
    JSON.stringify({ ...record, place: realpathSync(directory) }),
  );

export const removeRecord = (directory: string): void =>
  rmSync(recordFile(directory), { force: true });

/** Returns the last record; undefined if none, or if the directory is a copy of another one. */
export function readRecord(directory: string): EngineRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(recordFile(directory), "utf8")) as EngineRecord & {
      readonly place: string;
    };
    return record.place === realpathSync(directory) ? record : undefined;
  } catch {
    return undefined;
  }
}

export const readPassword = (directory: string, user: string): string =>
  readFileSync(passwordFile(directory, user), "utf8").trim();

/** Returns the hash of a user's password; the first start creates the password. */
export function passwordHash(directory: string, user: string): string {
  try {
    writeFileSync(passwordFile(directory, user), `${randomBytes(12).toString("hex")}\n`, {
      mode: 0o600,
      flag: "wx",
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return createHash("sha256").update(readPassword(directory, user)).digest("hex");
}
