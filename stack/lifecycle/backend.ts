import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { ROOT, stateFolder } from "../../components/shared/state.ts";

export const stateBackendFolder = (): string => join(stateFolder(), "backend");
export const stateBackend = (): string => `file://${stateBackendFolder()}`;

/** Returns the backend that the user has configured, as Pulumi does: by variable, then by login. */
export function configuredBackend(): string | undefined {
  const { PULUMI_BACKEND_URL, PULUMI_ACCESS_TOKEN } = process.env;
  return PULUMI_BACKEND_URL || loggedInTo() || (PULUMI_ACCESS_TOKEN ? "Pulumi Cloud" : undefined);
}

/** Returns the variable with an absolute path, if the user's backend has a path relative to the project. */
export function absoluteBackend(): Readonly<Record<string, string>> {
  const [, path] = /^file:\/\/(?![/~])(.*)$/.exec(configuredBackend() ?? "") ?? [];
  return path === undefined ? {} : { PULUMI_BACKEND_URL: `file://${resolve(ROOT, path)}` };
}

/** True if the state folder has a backend and Pulumi uses another. */
export function isOtherBackend(current: string | undefined): current is string {
  if (current === undefined || !existsSync(join(stateBackendFolder(), ".pulumi"))) return false;
  const [, path] = /^file:\/\/(.*)$/.exec(current) ?? [];
  if (path === undefined) return true;
  const folder = resolve(ROOT, path.replace(/^~(?=\/|$)/, homedir()));
  return folder !== resolve(stateBackendFolder());
}

const credentials = z.looseObject({ current: z.string().optional() });

function loggedInTo(): string | undefined {
  const { PULUMI_CREDENTIALS_PATH, PULUMI_HOME } = process.env;
  const home = PULUMI_CREDENTIALS_PATH ?? PULUMI_HOME ?? join(homedir(), ".pulumi");
  const file = join(home, "credentials.json");
  if (!existsSync(file)) return undefined;
  return credentials.parse(JSON.parse(readFileSync(file, "utf8"))).current || undefined;
}
