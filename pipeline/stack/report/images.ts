import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Whether an image's build reads a file: by its Dockerfile's list of what it is given. */
export function isBuiltFrom(build: unknown, file: string, checkout: string): boolean {
  const dockerfile = (build as { dockerfile?: string } | undefined)?.dockerfile;
  if (dockerfile === undefined) return false;
  const path = dockerfile.replace("<root>/", "");
  if (file === path || file === `${path}.dockerignore`) return true;
  return givenTo(join(checkout, `${path}.dockerignore`)).some(
    (given) => file === given || file.startsWith(`${given}/`),
  );
}

/** The lists leave out everything, then take in files and folders, one a line. */
const givenTo = (ignore: string): string[] =>
  existsSync(ignore)
    ? readFileSync(ignore, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("!"))
        .map((line) => line.slice(1).trim())
    : [];
