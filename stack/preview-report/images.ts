import type { ReadText } from "./program.ts";

export function isBuiltFrom(build: unknown, file: string, read: ReadText): boolean {
  const dockerfile = (build as { dockerfile?: string } | undefined)?.dockerfile;
  if (dockerfile === undefined) return false;
  const path = dockerfile.replace("<root>/", "");
  if (file === path || file === `${path}.dockerignore`) return true;
  return includedBy(read(`${path}.dockerignore`) ?? "").some(
    (included) => file === included || file.startsWith(`${included}/`),
  );
}

/** Returns included paths; the ignore files exclude everything, then include one path per line. */
const includedBy = (ignore: string): string[] =>
  ignore
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1).trim());
