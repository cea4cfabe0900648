import type { ReadText } from "./program.ts";

/** Whether an image's build reads a file, according to the list beside its Dockerfile. */
export function isBuiltFrom(build: unknown, file: string, read: ReadText): boolean {
  const dockerfile = (build as { dockerfile?: string } | undefined)?.dockerfile;
  if (dockerfile === undefined) return false;
  const path = dockerfile.replace("<root>/", "");
  if (file === path || file === `${path}.dockerignore`) return true;
  return includedBy(read(`${path}.dockerignore`) ?? "").some(
    (included) => file === included || file.startsWith(`${included}/`),
  );
}

/** Our lists exclude everything, then include files and folders, one per line. */
const includedBy = (ignore: string): string[] =>
  ignore
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1).trim());
