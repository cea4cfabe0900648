import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CACHE } from "./cache.ts";

/** A `pom.xml`, with other values of its properties. */
export interface Pom {
  readonly file: string;
  /** Such as `-Dkafka.version=4.1.2`. */
  readonly properties?: readonly string[];
}

/**
 * Class path of the jars that a `pom.xml` names. Maven resolves it once per version of the file; the answer is in the
 * user's cache folder, the jars in Maven's repository.
 * @throws Error with Maven's output if it cannot resolve the jars
 */
export function classpathOf(pom: Pom): string {
  const cached = cacheOf(pom, "classpath");
  if (!existsSync(cached) || !complete(readFileSync(cached, "utf8"))) resolve(pom, cached);
  return readFileSync(cached, "utf8").trim();
}

/** Path of something in the user's cache folder that belongs to this version of a `pom.xml`. */
export function cacheOf({ file, properties = [] }: Pom, kind: "classpath" | "storage"): string {
  const hash = createHash("sha256").update(readFileSync(file)).update(properties.join(" "));
  const digest = hash.digest("hex").slice(0, 12);
  mkdirSync(CACHE, { recursive: true });
  return join(CACHE, `test-jars-${digest}.${kind}`);
}

const complete = (classpath: string): boolean =>
  classpath.trim() !== "" && classpath.trim().split(delimiter).every(existsSync);

function resolve({ file, properties = [] }: Pom, cached: string): void {
  // Write to a temporary file and rename it, because another level may read it.
  const aside = `${cached}.${process.pid}`;
  const goal = ["dependency:build-classpath", `-Dmdep.outputFile=${aside}`, ...properties];
  const { status, stdout, error } = spawnSync("mvn", ["-B", "-q", "-f", file, ...goal], {
    encoding: "utf8",
  });
  if (status !== 0 || !existsSync(aside)) {
    throw new Error(`Maven cannot resolve the jars of ${file}: ${error?.message ?? stdout}`);
  }
  renameSync(aside, cached);
}
