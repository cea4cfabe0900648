import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/**
 * Class path of the jars that a `pom.xml` names. Maven resolves it once per version of the file; the answer is in the
 * user's cache folder, the jars in Maven's repository.
 * @throws Error with Maven's output if it cannot resolve the jars
 */
export function classpathOf(pom: string): string {
  const cached = cacheOf(pom, "classpath");
  if (!existsSync(cached) || !complete(readFileSync(cached, "utf8"))) resolve(pom, cached);
  return readFileSync(cached, "utf8").trim();
}

/** Path of something in the user's cache folder that belongs to this version of a `pom.xml`. */
export function cacheOf(pom: string, kind: "classpath" | "storage"): string {
  const digest = createHash("sha256").update(readFileSync(pom)).digest("hex").slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "event-pipeline-stack");
  mkdirSync(folder, { recursive: true });
  return join(folder, `test-jars-${digest}.${kind}`);
}

const complete = (classpath: string): boolean =>
  classpath.trim() !== "" && classpath.trim().split(delimiter).every(existsSync);

function resolve(pom: string, cached: string): void {
  // Write to a temporary file and rename it, because another level may read it.
  const aside = `${cached}.${process.pid}`;
  const goal = ["dependency:build-classpath", `-Dmdep.outputFile=${aside}`];
  const { status, stdout, error } = spawnSync("mvn", ["-B", "-q", "-f", pom, ...goal], {
    encoding: "utf8",
  });
  if (status !== 0 || !existsSync(aside)) {
    throw new Error(`Maven cannot resolve the jars of ${pom}: ${error?.message ?? stdout}`);
  }
  renameSync(aside, cached);
}
